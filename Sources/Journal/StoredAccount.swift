/// To which account what is stored of a user id belongs, and what became of that account.
public struct StoredAccount: Equatable, Sendable {
    /// What the user database had when it was last known for certain.
    public enum State: String, CaseIterable, Sendable {
        /// The account that it belongs to, or none where it belongs to none.
        case present
        /// No account with this number.
        case removed
        /// The same name again, after no account had the number or with a younger home: it may be the same person or not.
        case returned
        /// Another name, without a time between in which no account had the number.
        case renamed
        /// Another name, after no account had the number.
        case replaced
        /// No account with this number, and everything that was stored is erased.
        case erased
    }

    /// The name of the account; nil where no account had the number.
    public var name: String?
    /// What became of it.
    public var state: State
    /// The name that the number has now, where it is another one.
    public var otherName: String?
    /// When that was noticed, in microseconds since 1970; for people only, as it is the wall clock's.
    public var sinceMicroseconds: Int64?
    /// When the home of the account was made, in microseconds since 1970: how old the account is, as far as anything tells. Nil
    /// where it was never known.
    public var homeBirth: Int64?
    /// For how many seconds the account was seen to be missing, by checks that followed each other.
    public var absentSeconds: Int64

    /// An account that is there, or that none has the number.
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

    /// Whether nothing that is stored may be used.
    public var isSuspended: Bool { state != .present }
}
