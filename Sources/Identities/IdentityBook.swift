import Authorization
import Location

/// The identifiers of a machine: which one an app gets, and until when it remains the same.
///
/// An identifier is a random number, made at the first query. Nothing is computed from anything, so that nobody can
/// find one from another: not for another vendor, user or machine, and not the one before a reset. An identifier and the app that
/// queries it are stored before the app receives it (`received`); a reset or removal is in effect at once.
public struct IdentityBook: Sendable {
    /// What is decided. None of it leaves before it is durable.
    private(set) var records: [IdentifierKey: IdentifierRecord] = [:]
    /// What is stored.
    private(set) var durable: [IdentifierKey: IdentifierRecord] = [:]

    /// A book without identifiers.
    public init() {}

    /// What follows from a query.
    public struct Answer: Equatable, Sendable {
        /// Whether the record has changed and has to be stored.
        public var mustBeStored: Bool
        /// Whether the app receives this identifier for the first time.
        public var isFirst: Bool
    }

    /// The users with identifiers.
    public var users: Set<UInt32> { Set(records.keys.lazy.map(\.uid)).union(durable.keys.lazy.map(\.uid)) }

    /// The keys of all identifiers.
    public var keys: Set<IdentifierKey> { Set(records.keys) }

    /// What is to be stored of an identifier now; nil if it has none.
    public func record(of key: IdentifierKey) -> IdentifierRecord? { records[key] }

    /// Restores a stored record.
    public mutating func restore(_ record: IdentifierRecord, for key: IdentifierKey) {
        records[key] = record
        durable[key] = record
    }

    // Queries

    /// An app queries an identifier, which is a new one if there is none.
    public mutating func query(
        _ key: IdentifierKey, by app: String, at now: UTCTime, new: @autoclosure () -> UniqueID = .random()
    ) -> Answer {
        var record = records[key] ?? IdentifierRecord(new())
        let isFirst = record.note(app, at: now)
        let isChanged = records[key] != record
        records[key] = record
        return Answer(mustBeStored: isChanged, isFirst: isFirst)
    }

    /// The identifier that an app may receive: it is stored together with the app's query, and was not reset since. Nil otherwise.
    public func received(_ key: IdentifierKey, by app: String) -> UniqueID? {
        guard let stored = durable[key], stored.identifier == records[key]?.identifier, stored.uses[app] != nil else {
            return nil
        }
        return stored.identifier
    }

    // Storage

    /// A record, or its removal, is durable.
    public mutating func stored(_ record: IdentifierRecord?, for key: IdentifierKey) { durable[key] = record }

    /// A record will never be durable: what was stored before applies. If that is another identifier, the next query makes a
    /// new one, because the other was reset.
    public mutating func notStored(_ record: IdentifierRecord, for key: IdentifierKey) {
        guard records[key] == record else { return }
        records[key] = durable[key].flatMap { $0.identifier == record.identifier ? $0 : nil }
    }

    // Removal

    /// Resets the identifiers of a user, or of all users, of one kind or of all, and returns which. Later queries get new
    /// ones.
    public mutating func reset(uid: UInt32?, kind: IdentifierKey.Kind? = nil) -> Set<IdentifierKey> {
        // Also those whose record is being stored, or whose removal could not be stored before.
        remove(
            Set(records.keys).union(durable.keys).filter {
                (uid == nil || $0.uid == uid) && (kind == nil || $0.kind == kind)
            })
    }

    /// Removes the identifiers of which the last app was removed, and returns which.
    public mutating func review(isRemoved: (IdentifierKey, IdentifierRecord) -> Bool) -> Set<IdentifierKey> {
        remove(Set(records.filter { isRemoved($0.key, $0.value) }.keys))
    }

    private mutating func remove(_ keys: Set<IdentifierKey>) -> Set<IdentifierKey> {
        for key in keys { records[key] = nil }
        return keys
    }

    // Reports

    /// An app that has received an identifier.
    public struct Disclosure: Equatable, Sendable {
        /// The identifier.
        public var key: IdentifierKey
        /// The app.
        public var app: AppID
        /// When it queried it.
        public var use: IdentifierRecord.Use
    }

    /// The apps that have the present identifiers, in order.
    public var disclosures: [Disclosure] {
        durable.filter { $0.value.identifier == records[$0.key]?.identifier }
            .flatMap { key, record in
                record.uses.map { app, use in
                    Disclosure(key: key, app: AppID(uid: key.uid, name: app), use: use)
                }
            }
            .sorted { ($0.app.uid, $0.app.name, $0.key.savedName) < ($1.app.uid, $1.app.name, $1.key.savedName) }
    }
}
