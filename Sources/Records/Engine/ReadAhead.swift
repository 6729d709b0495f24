/// What a request reads and locks, as far as that is known before the request is performed: an engine whose reads take long
/// can acquire all of these locks and read all of these rows at once.
///
/// It is a hint. A request may read something else, which is then read when it is needed, and needs not read what is here.
public struct ReadAhead: Equatable, Sendable {
    /// A zone as a database lists it.
    public struct Listing: Hashable, Sendable {
        /// The database.
        public var database: DatabaseID
        /// The zone.
        public var zone: ZoneID

        /// The listing of a zone in a database.
        public init(_ zone: ZoneID, in database: DatabaseID) {
            self.zone = zone
            self.database = database
        }
    }

    /// A type of a container.
    public struct TypeName: Hashable, Sendable {
        /// The container.
        public var container: Container
        /// The name.
        public var type: RecordType

        /// A type of this name.
        public init(_ type: RecordType, in container: Container) {
            self.type = type
            self.container = container
        }
    }

    /// The locks. What is protected by one of them is read after it was acquired.
    public var locks: Set<RecordLock> = []
    /// Devices, by the digests of their tokens.
    public var tokens: Set<[UInt8]> = []
    /// Answers to requests.
    public var answers: Set<AnswerRow.Key> = []
    /// Zones, with their participants.
    public var zones: Set<ZoneID> = []
    /// Records, by their zones.
    public var records: [ZoneID: Set<RecordName>] = [:]
    /// Types.
    public var types: Set<TypeName> = []
    /// Containers of which it is read whether they have types.
    public var containers: Set<Container> = []
    /// Databases, with their subscriptions and the devices that get pushes of them.
    public var databases: Set<DatabaseID> = []
    /// Zones as databases list them.
    public var listings: Set<Listing> = []

    /// The most records, and the most bytes of them: what exceeds these numbers is read when it is needed.
    public static let mostRecords = 2_000
    /// The most bytes of records.
    public static let mostBytes = 4 << 20

    /// Nothing.
    public init() {}

    /// Whether there is nothing to read or to lock.
    public var isEmpty: Bool { self == ReadAhead() }

    /// Adds what another request reads and locks. Of records no more are added than may be read at once.
    public mutating func merge(_ other: ReadAhead) {
        locks.formUnion(other.locks)
        tokens.formUnion(other.tokens)
        answers.formUnion(other.answers)
        zones.formUnion(other.zones)
        types.formUnion(other.types)
        containers.formUnion(other.containers)
        databases.formUnion(other.databases)
        listings.formUnion(other.listings)
        var count = records.values.reduce(0) { $0 + $1.count }
        for (zone, names) in other.records where count + names.count <= Self.mostRecords {
            records[zone, default: []].formUnion(names)
            count += names.count
        }
    }
}
