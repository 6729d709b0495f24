import Authorization
import Location
import Configuration
import Journal
import Platform

/// The states of users, from logind and from screen locks, which logind reports or programs declare. Reports them to the policy, for users with
/// processes of apps.
@DaemonActor
final class UserStates {
    private let authorizer: Authorizer
    private let recorder: ClientRecorder
    private let continuation: ContinuationStore?
    private let changes: Changes
    private let logins: (any SessionActivity)?
    private var screens = ScreenLocks()
    /// The state of each user with processes of apps, as reported to the policy, and the number of these processes.
    private var watched: [UInt32: (state: UserState, processes: Int)] = [:]
    /// The users present at the machine, as reported to the policy.
    private var present: Set<UInt32> = []
    /// Who decides about apps of users' own manifests.
    private var personalManifests: PersonalManifestsMode

    /// The most users that can be declared as locked at once; the locks of others are ignored.
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

    /// Applies who decides about apps of users' own manifests.
    func apply(_ personalManifests: PersonalManifestsMode) {
        self.personalManifests = personalManifests
        changes.report(.userStatesChanged)
    }

    // Locks

    /// Locks the screens that were locked before a restart. What logind has reported stays in force until it reports again.
    func lock(_ earlier: ScreenLocks) {
        let room = max(0, Self.mostLocked - screens.declared.count)
        screens.declared.formUnion(earlier.declared.sorted().prefix(room))
        screens.reported = earlier.reported
    }

    /// A program declares that the screen of a user is locked or unlocked.
    func setLocked(_ uid: UInt32, _ isLocked: Bool) {
        var new = screens
        if isLocked {
            guard new.declared.count < Self.mostLocked, new.declared.insert(uid).inserted else { return }
        } else {
            guard new.declared.remove(uid) != nil else { return }
        }
        apply(new)
        if isLocked { changes.report(.screenLocked(uid: uid)) }
    }

    /// logind reports these users' screens as locked, and no others.
    func setReported(_ users: Set<UInt32>) {
        guard users != screens.reported else { return }
        var new = screens
        new.reported = users
        apply(new)
    }

    private func apply(_ new: ScreenLocks) {
        let old = screens.all
        screens = new
        continuation?.keep(new)
        for uid in old.symmetricDifference(new.all).sorted() {
            recorder.record(Event(new.all.contains(uid) ? .userLocked : .userUnlocked, uid: uid))
        }
        changes.report(.userStatesChanged)
    }

    // The policy's knowledge

    /// Whether a user has processes of apps.
    func isWatched(_ uid: UInt32) -> Bool { watched[uid] != nil }

    /// Adds a process of an app of this user.
    func watch(_ uid: UInt32) {
        if watched[uid] == nil {
            let state = state(of: uid)
            watched[uid] = (state, 0)
            authorizer.send(.userChanged(uid, state))
        }
        watched[uid]?.processes += 1
    }

    /// Removes a process of an app of this user.
    func unwatch(_ uid: UInt32) {
        watched[uid]?.processes -= 1
        guard watched[uid]?.processes == 0 else { return }
        watched[uid] = nil
        authorizer.send(.userChanged(uid, .absent))
    }

    /// Reports changes to the policy. `askable` are the users with agents.
    func refresh(askable: Set<UInt32>) {
        for uid in Array(watched.keys) {
            let state = state(of: uid)
            guard watched[uid]?.state != state else { continue }
            watched[uid]?.state = state
            authorizer.send(.userChanged(uid, state))
        }
        for uid in present.union(watched.keys).union(askable) { refreshPresence(of: uid) }
    }

    /// Reports whether a user is present at the machine, if that decides who is asked. False if it is unknown.
    func refreshPresence(of uid: UInt32) {
        let isPresent = personalManifests == .present && logins?.isPresent(uid) ?? false
        guard isPresent != present.contains(uid) else { return }
        if isPresent { present.insert(uid) } else { present.remove(uid) }
        authorizer.send(.presenceChanged(uid, isPresent: isPresent))
    }

    /// The state of a user. If it is unknown, the user counts as active, so that the activity that programs declare
    /// decides.
    private func state(of uid: UInt32) -> UserState {
        switch logins?.activity(of: uid) ?? .unknown {
        case .active, .unknown: screens.all.contains(uid) ? .locked : .active
        case .absent("offline"): .absent
        case .absent: .inactive
        }
    }
}
