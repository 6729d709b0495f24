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

        /// Of the zone: few databases list the same one.
        public func hash(into hasher: inout Hasher) { hasher.combine(zone) }
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

        /// Of the name: few containers have the same one.
        public func hash(into hasher: inout Hasher) { hasher.combine(type) }
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

    /// Nothing yet, with room for what so many requests read.
    public init(requests count: Int) {
        // Each has a lock of its own, besides those of a zone and a database that it probably shares with others.
        locks.reserveCapacity(count + 2)
        tokens.reserveCapacity(count)
        answers.reserveCapacity(count)
    }

    /// Whether there is nothing to read or to lock.
    public var isEmpty: Bool { self == ReadAhead() }

    /// Adds records of a zone, unless that would be more than may be read at once.
    public mutating func add(_ names: [RecordName], in zone: ZoneID) {
        let count = records.values.reduce(0) { $0 + $1.count }
        guard count + names.count <= Self.mostRecords else { return }
        records[zone, default: []].formUnion(names)
    }
}
