import Containers

/// The data of one app in one environment.
public struct Container: Hashable, Sendable {
    /// The name, which the app's author chooses.
    public var name: ContainerName
    /// The environment.
    public var environment: ContainerEnvironment

    /// A container of these two.
    public init(_ name: ContainerName, _ environment: ContainerEnvironment = .production) {
        self.name = name
        self.environment = environment
    }
}

/// A database of a container.
public struct DatabaseID: Hashable, Sendable {
    /// Whose database it is.
    public enum Scope: Hashable, Sendable {
        /// That of everybody who uses the app. It has the default zone only.
        case everybody
        /// That of one account.
        case privately(AccountID)
        /// The zones that other accounts share with one account.
        case shared(AccountID)
    }

    /// The container.
    public var container: Container
    /// Whose database it is.
    public var scope: Scope

    /// A database of these two.
    public init(_ container: Container, _ scope: Scope) {
        self.container = container
        self.scope = scope
    }

    /// A database as an account sees it.
    public init(_ container: Container, _ scope: DatabaseScope, of account: AccountID) {
        let scope: Scope =
            switch scope {
            case .private: .privately(account)
            case .shared: .shared(account)
            case .public: .everybody
            }
        self.init(container, scope)
    }

    /// Which one it is, whoever's.
    public var kind: DatabaseScope {
        switch scope {
        case .everybody: .public
        case .privately: .private
        case .shared: .shared
        }
    }

    /// Of whose database it is: a set has databases of few containers, so that the container would only cost time.
    public func hash(into hasher: inout Hasher) { hasher.combine(scope) }
}

/// A zone where it is stored: in the public database or in the private one of its owner, also if it is shared.
public struct ZoneID: Hashable, Sendable {
    /// The container.
    public var container: Container
    /// The account whose private database the zone is in; nil for the public database.
    public var owner: AccountID?
    /// The name.
    public var name: ZoneName

    /// A zone of these parts.
    public init(_ container: Container, owner: AccountID?, _ name: ZoneName) {
        self.container = container
        self.owner = owner
        self.name = name
    }

    /// Of the owner and the name: a set has zones of few containers, so that the container would only cost time.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(owner)
        hasher.combine(name)
    }

    /// The database that the zone is stored in.
    public var database: DatabaseID { DatabaseID(container, owner.map { .privately($0) } ?? .everybody) }
    /// Whether a batch of changes in this zone succeeds as a whole or not at all.
    public var isAtomic: Bool { name != .defaultZone }
}

extension DatabaseID: Comparable {
    /// The order in which databases are locked.
    public static func < (left: DatabaseID, right: DatabaseID) -> Bool {
        left.context.lexicographicallyPrecedes(right.context)
    }
}

extension ZoneID: Comparable {
    /// The order in which zones are locked.
    public static func < (left: ZoneID, right: ZoneID) -> Bool { left.context.lexicographicallyPrecedes(right.context) }
}

extension DatabaseID {
    /// Bytes that no other database has: each part follows its length.
    var context: [UInt8] {
        let (kind, account): (UInt8, String) =
            switch scope {
            case .everybody: (0, "")
            case .privately(let account): (1, account.text)
            case .shared(let account): (2, account.text)
            }
        return container.context + [kind] + account.withLength
    }
}

extension ZoneID {
    /// Bytes that no other zone has.
    var context: [UInt8] { database.context + name.text.withLength }
}

extension Container {
    /// Bytes that no other container has.
    var context: [UInt8] { [environment == .production ? 1 : 0] + name.text.withLength }
}

extension String {
    /// The length in one byte, and the bytes. A name has at most 255.
    var withLength: [UInt8] { [UInt8(clamping: utf8.count)] + utf8 }
}
