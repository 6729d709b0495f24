import Authorization
import Location
import Configuration
import Journal
import Platform

/// What users are doing at this machine, by logind and by the locks that people or programs declare: reported to the policy
/// for the users who have processes of apps.
@DaemonActor
final class UserStates {
    private let authorizer: Authorizer
    private let recorder: ClientRecorder
    private let continuation: ContinuationStore?
    private let changes: Changes
    private let logins: (any SessionActivity)?
    /// The users whose screens are locked.
    private var locked: Set<UInt32> = []
    /// The state of each user with processes, as the policy knows it, and the number of the processes.
    private var watched: [UInt32: (state: UserState, processes: Int)] = [:]
    /// The users who are at the machine in person, as the policy knows it.
    private var present: Set<UInt32> = []
    /// Who decides for the apps that users' own manifests name.
    private var personalManifests: PersonalManifestsMode

    /// How many users can be locked at once; further ones stay unlocked.
    private static let mostLocked = 4_096

    init(
        personalManifests: PersonalManifestsMode, authorizer: Authorizer, recorder: ClientRecorder,
        continuation: ContinuationStore? = nil, changes: Changes
    ) {
        self.personalManifests = personalManifests
        self.authorizer = authorizer
        self.recorder = recorder
        self.continuation = continuation
        self.changes = changes
        do throws(SystemError) {
            let logins = try LoginSessions()
            self.logins = logins
            logins.onChange = { changes.report(.userStatesChanged) }
        } catch {
            logins = nil
            Log.error("what programs declare decides whether they are in use: \(error)")
        }
    }

    /// Applies who decides for users' own manifests.
    func apply(_ personalManifests: PersonalManifestsMode) {
        self.personalManifests = personalManifests
        changes.report(.userStatesChanged)
    }

    // Locks

    /// Locks the screens that were locked before a restart.
    func lock(_ users: Set<UInt32>) {
        locked.formUnion(users.sorted().prefix(max(0, Self.mostLocked - locked.count)))
    }

    /// Locks or unlocks the screen of a user.
    func setLocked(_ uid: UInt32, _ isLocked: Bool) {
        if isLocked {
            guard locked.count < Self.mostLocked, locked.insert(uid).inserted else { return }
        } else {
            guard locked.remove(uid) != nil else { return }
        }
        continuation?.keep(locked: locked)
        recorder.record(Event(isLocked ? .userLocked : .userUnlocked, uid: uid))
        changes.report(.userStatesChanged)
    }

    // What the policy knows

    /// Whether a user has processes of apps.
    func isWatched(_ uid: UInt32) -> Bool { watched[uid] != nil }

    /// A user has one more process of an app.
    func watch(_ uid: UInt32) {
        if watched[uid] == nil {
            let state = state(of: uid)
            watched[uid] = (state, 0)
            authorizer.send(.userChanged(uid, state))
        }
        watched[uid]?.processes += 1
    }

    /// A user has one process of an app fewer.
    func unwatch(_ uid: UInt32) {
        watched[uid]?.processes -= 1
        guard watched[uid]?.processes == 0 else { return }
        watched[uid] = nil
        authorizer.send(.userChanged(uid, .absent))
    }

    /// Reports to the policy what has changed; `askable` are the users who have agents.
    func refresh(askable: Set<UInt32>) {
        for uid in Array(watched.keys) {
            let state = state(of: uid)
            guard watched[uid]?.state != state else { continue }
            watched[uid]?.state = state
            authorizer.send(.userChanged(uid, state))
        }
        for uid in present.union(watched.keys).union(askable) { refreshPresence(of: uid) }
    }

    /// Reports whether a user is at the machine in person, as far as that decides who is asked. False where nobody knows.
    func refreshPresence(of uid: UInt32) {
        let isPresent = personalManifests == .present && logins?.isPresent(uid) ?? false
        guard isPresent != present.contains(uid) else { return }
        if isPresent { present.insert(uid) } else { present.remove(uid) }
        authorizer.send(.presenceChanged(uid, isPresent: isPresent))
    }

    /// The state of a user. Where nobody knows, what programs declare decides: the user counts as active.
    private func state(of uid: UInt32) -> UserState {
        switch logins?.activity(of: uid) ?? .unknown {
        case .active, .unknown: locked.contains(uid) ? .locked : .active
        case .absent("offline"): .absent
        case .absent: .inactive
        }
    }
}
