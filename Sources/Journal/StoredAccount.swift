/// The account to which the data of a user id belongs, and the account's status.
public struct StoredAccount: Equatable, Sendable {
    /// The status of the user database when it was last known for certain.
    public enum State: String, CaseIterable, Sendable {
        /// The account that the data belongs to exists, or the data belongs to no account.
        case present
        /// No account has this number.
        case removed
        /// The same name again, after no account had the number or with a younger home directory: possibly another
        /// person.
        case returned
        /// Another name, without a period in which no account had the number.
        case renamed
        /// Another name, after no account had the number.
        case replaced
        /// No account has this number, and all stored data is erased.
        case erased
    }

    /// The name of the account; nil if no account had the number.
    public var name: String?
    /// The status of the account.
    public var state: State
    /// The name that the number has now, if it is another one.
    public var otherName: String?
    /// When the change was noticed, in microseconds since 1970. It is a time of the wall clock, for display only.
    public var sinceMicroseconds: Int64?
    /// The creation time of the account's home directory, in microseconds since 1970, as an indication of the account's
    /// age. Nil if it was never known.
    public var homeBirth: Int64?
    /// For how many seconds consecutive checks found the account missing.
    public var absentSeconds: Int64

    /// An existing account, or the fact that no account has the number.
    public init(
        name: String?, state: State = .present, otherName: String? = nil, sinceMicroseconds: Int64? = nil,
        homeBirth: Int64? = nil, absentSeconds: Int64 = 0
    ) {
        self.name = name
        self.state = state
        self.otherName = otherName
        self.sinceMicroseconds = sinceMicroseconds
        self.homeBirth = homeBirth
        self.absentSeconds = absentSeconds
    }

    /// Whether the stored data may not be used.
    public var isSuspended: Bool { state != .present }
}
