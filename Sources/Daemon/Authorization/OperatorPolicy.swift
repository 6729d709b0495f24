import Glibc
import Platform

/// Who may operate the daemon: root, the daemon's own user, and members of the operators' group.
@DaemonActor
final class OperatorPolicy {
    private let ownUser = geteuid()
    private let groupName: String
    /// Looked up when it is first needed, because the name services that this loads need more memory than the rest of
    /// the daemon's policy.
    private lazy var group = lookUpGroup()

    /// The policy with a group of this name; a group that does not exist has no members.
    init(groupName: String) {
        self.groupName = groupName
    }

    /// Whether the peer is an operator's process.
    func isOperator(_ peer: PeerIdentity) -> Bool {
        if isOperatorsOwn(peer.userID) { return true }
        guard let group else { return false }
        return peer.belongs(to: group)
    }

    /// Whether a user is an operator without belonging to the group.
    func isOperatorsOwn(_ uid: UInt32) -> Bool { uid == 0 || uid == ownUser }

    /// The operators' group; nil if there is none.
    var groupID: UInt32? { group }

    private func lookUpGroup() -> gid_t? {
        do throws(SystemError) {
            return try PeerIdentity.groupID(named: groupName)
        } catch {
            Log.warning("only root and the daemon's own user are operators: \(error)")
            return nil
        }
    }
}
