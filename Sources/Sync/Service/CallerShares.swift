import Accounts
import Platform
import Varlink

/// Assigns the connections of callers to quotas, also those of users whose ids this program cannot see.
///
/// The service of the system has a user namespace with root and its own user. The kernel reports one id for all other
/// users, so that their processes are distinguished by their control groups: systemd puts each process of a session and
/// of a user's service manager below the slice of the user, and each process of a system service into the group of the
/// service. Nobody but root can move a process from there.
@DaemonActor
final class CallerShares: ConnectionSharing {
    private let accounts: UserAccounts
    private let mapping: UserNamespaceMapping

    init(_ accounts: UserAccounts, _ mapping: UserNamespaceMapping = .own) {
        self.accounts = accounts
        self.mapping = mapping
    }

    func share(of peer: PeerIdentity) -> ConnectionShare {
        mapping.shows(peer.userID) ? accounts.share(of: peer) : Self.share(of: peer.controlGroup)
    }

    /// The quota of a process in a control group; of one that has ended already the group is unknown.
    nonisolated static func share(of group: ControlGroup?) -> ConnectionShare {
        if let owner = group?.owner { return .account(owner) }
        guard let unit = group?.systemUnit else { return .unaccounted }
        return .unit(template(of: unit))
    }

    /// The name of a unit without its instance: whoever can have many instances started has one quota all the same.
    nonisolated private static func template(of unit: String) -> String {
        guard let at = unit.firstIndex(of: "@"), let dot = unit.lastIndex(of: "."), at < dot else { return unit }
        return String(unit[...at]) + unit[dot...]
    }
}
