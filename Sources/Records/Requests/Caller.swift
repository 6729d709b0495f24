/// Who sends a request, as the hub has identified it.
public enum Caller: Hashable, Sendable {
    /// Somebody without an account, who may read what everybody may.
    case anonymous
    /// A device of an account.
    case device(DeviceID, of: AccountID)

    /// The account; nil without one.
    public var account: AccountID? {
        guard case .device(_, let account) = self else { return nil }
        return account
    }
}
