import Authorization
import Journal

// What users do, and the locks of their screens.

extension Authorizer {
    /// Says that the screen of a user is locked or not.
    func setLocked(uid: UInt32, _ isLocked: Bool) {
        guard users.setLocked(uid, isLocked) else { return }
        continuation?.keep(locked: users.locked)
        recordBounded(Event(isLocked ? .userLocked : .userUnlocked, uid: uid))
        refreshUsers()
    }

    /// Finds out what the users do who have processes of apps.
    func refreshUsers() {
        for uid in Array(watchedUsers.keys) {
            let state = users.state(of: uid)
            guard watchedUsers[uid]?.state != state else { continue }
            watchedUsers[uid]?.state = state
            send(.userChanged(uid, state))
        }
        for uid in presentUsers.union(watchedUsers.keys).union(agents.values.map(\.uid)) { refreshPresence(of: uid) }
    }

    /// Finds out whether a user is at the machine in person, as far as that decides who is asked.
    func refreshPresence(of uid: UInt32) {
        let isPresent = personalManifests == .present && users.isPresent(uid)
        guard isPresent != presentUsers.contains(uid) else { return }
        if isPresent { presentUsers.insert(uid) } else { presentUsers.remove(uid) }
        send(.presenceChanged(uid, isPresent: isPresent))
    }

    func watchUser(_ uid: UInt32) {
        if watchedUsers[uid] == nil {
            let state = users.state(of: uid)
            watchedUsers[uid] = (state, 0)
            send(.userChanged(uid, state))
        }
        watchedUsers[uid]?.processes += 1
    }

    func unwatchUser(_ uid: UInt32) {
        watchedUsers[uid]?.processes -= 1
        guard watchedUsers[uid]?.processes == 0 else { return }
        watchedUsers[uid] = nil
        send(.userChanged(uid, .absent))
    }
}
