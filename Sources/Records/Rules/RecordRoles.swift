/// What somebody may do to the records of a type in the public database.
public struct RecordRoles: Equatable, Sendable {
    /// The rights of one role.
    public struct Rights: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt8
        /// Rights of these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// May make records.
        public static let create = Rights(rawValue: 1)
        /// May read records.
        public static let read = Rights(rawValue: 2)
        /// May change and delete records.
        public static let write = Rights(rawValue: 4)

        private static let named: [(word: String, right: Rights)] = [
            ("create", .create), ("read", .read), ("write", .write),
        ]

        /// The rights as words.
        public var words: [String] { Self.named.filter { contains($0.right) }.map(\.word) }

        /// The right of a word; nil if there is none.
        public init?(word: String) {
            guard let named = Self.named.first(where: { $0.word == word }) else { return nil }
            self = named.right
        }
    }

    /// Everybody, also without an account. The right to create and to write needs an account all the same, because a
    /// record has a creator.
    public var world: Rights
    /// Everybody with an account.
    public var authenticated: Rights
    /// The account that has made the record.
    public var creator: Rights

    /// Roles with these rights: by default everybody reads, everybody with an account creates, and the creator writes.
    public init(
        world: Rights = [.read], authenticated: Rights = [.read, .create], creator: Rights = [.read, .write]
    ) {
        self.world = world
        self.authenticated = authenticated
        self.creator = creator
    }

    /// The rights of a caller to a record that an account has made; nil for a record that does not exist.
    func rights(of caller: Caller, creator account: AccountID?) -> Rights {
        guard let own = caller.account else { return world.intersection(.read) }
        var rights = world.union(authenticated)
        if own == account { rights.formUnion(creator) }
        return rights
    }
}

extension RecordRoles: CustomStringConvertible {
    /// The roles for a person.
    public var description: String {
        [("everybody", world), ("accounts", authenticated), ("the creator", creator)].map { role, rights in
            "\(role) may \(rights.isEmpty ? "do nothing" : rights.words.joined(separator: ", "))"
        }.joined(separator: "; ")
    }
}
