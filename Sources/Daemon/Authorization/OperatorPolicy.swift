import Glibc
import Platform

/// Who may run the daemon: root, the daemon's own user, and members of the operators' group.
@DaemonActor
final class OperatorPolicy {
    private let ownUser = geteuid()
    private let groupName: String
    /// Looked up when first needed: the name services that this loads cost more memory than the rest of a policy.
    private lazy var group = lookUpGroup()

    /// The policy with a group of this name; a group that does not exist has no members.
    init(groupName: String) {
        self.groupName = groupName
    }

    /// Whether the process at the other end is an operator's.
    func isOperator(_ peer: PeerIdentity) -> Bool {
        if peer.userID == 0 || peer.userID == ownUser { return true }
        guard let group else { return false }
        return peer.belongs(to: group)
    }

    private func lookUpGroup() -> gid_t? {
        do throws(SystemError) {
            return try PeerIdentity.groupID(named: groupName)
        } catch {
            Log.warning("only root and the daemon's own user are operators: \(error)")
            return nil
        }
    }
}
