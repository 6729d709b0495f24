import Containers
import JSONText
import Records

/// A container of the copy.
struct ContainerRow: Equatable, Sendable {
    var id: Int64
    var container: Container
    /// Whether the hub pushes changes of it to this machine.
    var isRegistered: Bool
    /// The number of the latest change of the copy.
    var revision: Int64
    /// Deletions up to this revision may have been forgotten.
    var forgottenThrough: Int64
    /// The databases whose subscriptions with alerts are to be read, as bits of `DatabaseScope`, below `alertMarks`.
    var staleAlerts: Int64 = 0

    /// How often all subscriptions with alerts were marked as to be read.
    var alertMarks: Int64 { staleAlerts >> 3 }
}

extension DatabaseScope {
    /// The databases that are copied. The records of the public one are at the hub only.
    static let copied = [DatabaseScope.private, .shared]

    /// Its number in the copy.
    var number: Int64 {
        switch self {
        case .private: 0
        case .shared: 1
        case .public: 2
        }
    }

    /// The database with a number.
    init?(number: Int64) {
        guard let scope = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = scope
    }

    /// The bit that says that its subscriptions with alerts are to be read.
    var bit: Int64 { 1 << number }
}

/// A zone of the copy.
struct ZoneRow: Equatable, Sendable {
    var id: Int64
    var container: Int64
    var zone: ZoneID
    /// Whether programs see it.
    var isPresent = false
    /// Whether the hub is to make it.
    var mustMake = false
    /// Whether the hub is to delete it, before it makes it again.
    var mustDelete = false
    /// Why it was deleted.
    var reason: ZoneDeletionReason?
    /// Whether a program on this machine has made or deleted it.
    var isLocal = false
    /// The hub's token up to which its changes were fetched.
    var token: [UInt8]?
    /// Whether there are changes to fetch.
    var isStale = false
    /// The number of the pass that fetches everything again; 0 outside of one.
    var pass: Int64 = 0
    var revision: Int64 = 0
    /// Whether everything in it has been made since this machine knows the list of zones, until all of it was fetched once.
    var isNew = false

    /// Whether nothing of it was ever fetched, and nothing is being fetched.
    var isUnfetched: Bool { token == nil && !isStale && reason != .encryptedDataReset }

    /// Whether this machine has deleted it and made it again, because nobody has the key of its encrypted fields.
    var isReset: Bool { isPresent && isLocal && reason == .encryptedDataReset }
}

/// A record of the copy.
struct RecordRow: Equatable, Sendable {
    /// The version of the hub; nil if it has none.
    var base: Record?
    /// Whether programs see it.
    var isPresent = false
    var revision: Int64 = 0
    /// Whether the latest change that programs see was made on this machine.
    var isLocal = false
    /// The pass in which the hub has listed it.
    var pass: Int64 = 0
}

/// What is to be sent of a record, or was sent and has no answer yet.
struct ChangeRow: Equatable, Sendable {
    /// Part of the request in progress.
    var sent: LocalChange?
    /// To be sent later. If it was refused, it is set aside.
    var pending: LocalChange?
    /// Why the hub has refused it, the JSON of a `RecordOutcome`.
    var error: [UInt8]?
    /// Saves the version again that the hub has lost, to be sent later, beside a change that is set aside: without one it is `pending`.
    var restoration: LocalChange?

    /// The changes that programs see.
    var seen: [LocalChange] { [sent, restoration, error == nil ? pending : nil].compactMap { $0 } }
    var isEmpty: Bool { sent == nil && pending == nil && restoration == nil }

    /// One change of two, which are made one after the other.
    static func joined(_ first: LocalChange?, _ second: LocalChange?, base: Record?) -> LocalChange? {
        guard let first else { return second }
        guard let second else { return first }
        return first.followed(by: second, base: base)
    }

    /// Lets what was sent be sent with another request.
    mutating func putBack(_ sent: LocalChange, base: Record?) {
        if error == nil { pending = Self.joined(sent, pending, base: base) } else { restoration = sent }
    }

    /// Sets everything aside. With a version that was to be saved again, a change that was refused before becomes one change, which
    /// stays refused for the first reason. A refused deletion is dropped, because it would remove the only copy of that version.
    mutating func setAside(because error: [UInt8], base: Record?) {
        let due = Self.joined(sent, restoration, base: base)
        (sent, restoration) = (nil, nil)
        if self.error == nil {
            (pending, self.error) = (Self.joined(due, pending, base: base), error)
        } else if let due {
            if case .delete? = pending { (pending, self.error) = (due, error) } else { join(due, base: base) }
        }
    }

    /// Puts a version that was to be saved again before the change that was refused. The change is not based on a version of the hub
    /// any more.
    private mutating func join(_ due: LocalChange, base: Record?) {
        pending?.changeTag = nil
        pending = Self.joined(due, pending, base: base)
    }

    /// Lets a change that was refused be sent again.
    mutating func permit(base: Record?) {
        if let due = restoration { join(due, base: base) }
        (error, restoration) = (nil, nil)
    }

    /// Removes the change that is set aside.
    mutating func discardRefused() { (pending, error, restoration) = (restoration, nil, nil) }
}

/// A request that is in progress, or that may have reached the hub before this program ended: it is sent again as it is, with
/// its idempotency key, until there is an answer.
struct RequestRow: Equatable, Sendable {
    enum Kind: Int64, Sendable {
        case deleteZones = 0
        case makeZones = 1
        case records = 2
    }

    var kind: Kind
    var container: Int64
    /// The zone of records.
    var zone: Int64?
    var key: String
    var body: [UInt8]
    /// When it was made, microseconds since 1970.
    var made: Int64

    /// Whether it can be sent in smaller parts: it has more than one change.
    var isDivisible: Bool {
        guard let json = try? JSON.parse(body, maximumDepth: 14, maximumValues: .max) else { return false }
        return (json["save"]?.arrayValue?.count ?? 0) + (json["delete"]?.arrayValue?.count ?? 0) > 1
    }
}
