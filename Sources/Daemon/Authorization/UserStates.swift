import Authorization
import Platform

/// What users are doing at this machine: what logind says, and what locks say that people or programs declare.
@DaemonActor
final class UserStates {
    /// Called when some user's state may have changed.
    var onChange: (@DaemonActor () -> Void)?
    private let sessions: (any SessionActivity)?
    /// The users whose screens are locked.
    private(set) var locked: Set<UInt32> = []

    /// How many users can be locked at once; further ones stay unlocked.
    private static let mostLocked = 4_096

    init() {
        do throws(SystemError) {
            let sessions = try LoginSessions()
            self.sessions = sessions
            sessions.onChange = { [weak self] in self?.onChange?() }
        } catch {
            sessions = nil
            Log.error("what programs declare decides whether they are in use: \(error)")
        }
    }

    /// What a user does. Where nobody knows, what programs declare decides: the user counts as active.
    func state(of uid: UInt32) -> UserState {
        switch sessions?.activity(of: uid) ?? .unknown {
        case .active, .unknown: locked.contains(uid) ? .locked : .active
        case .away("offline"): .absent
        case .away: .inactive
        }
    }

    /// Whether a user is at this machine in person; false where nobody knows.
    func isPresent(_ uid: UInt32) -> Bool { sessions?.isPresent(uid) ?? false }

    /// Locks the screens that were locked before a restart.
    func lock(_ users: Set<UInt32>) {
        locked.formUnion(users.sorted().prefix(max(0, Self.mostLocked - locked.count)))
    }

    /// Locks or unlocks a user's screen; says whether that changed anything.
    func setLocked(_ uid: UInt32, _ isLocked: Bool) -> Bool {
        guard isLocked else { return locked.remove(uid) != nil }
        guard locked.count < Self.mostLocked else { return false }
        return locked.insert(uid).inserted
    }
}
