import SyncInterface

/// The account that a machine has joined: what the account of iCloud is for CloudKit.
public struct Account: Equatable, Sendable {
    /// Whether there is an account, with the names of `CKAccountStatus`.
    public enum Status: Sendable, Equatable, CaseIterable {
        /// The machine has joined an account.
        case available
        /// It has joined none: `waymark join` joins one.
        case noAccount
        /// The hub does not accept the machine any more. The copy is there until the person leaves the account.
        case restricted
        /// `waymark-sync` cannot be reached, or the copy on this machine is sealed and not unlocked yet.
        case couldNotDetermine
    }

    /// Whether there is an account.
    public let status: Status
    /// The name of the account; nil if there is none.
    public let userName: String?
    /// The name of this machine in the account; nil if there is none.
    public let deviceName: String?
    /// Identifies the copy of the records on this machine: another one whenever an account is joined. Nil if there is none.
    public let copyIdentifier: String?

    init(_ reply: SyncInterface.GetAccount.Reply) {
        status =
            switch reply.state {
            case .active: .available
            case .noAccount: .noAccount
            case .removed: .restricted
            }
        userName = reply.account
        deviceName = reply.device
        copyIdentifier = reply.copy
    }
}
