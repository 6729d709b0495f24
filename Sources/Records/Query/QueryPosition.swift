import JSONText

/// A record's place among those that a query finds, after which the next page continues.
///
/// | bytes | |
/// | --- | --- |
/// | 8 | the incarnation of the zone, big-endian |
/// | 1 | the number of the scan |
/// | 1 | how many keys follow |
/// | each key | its length in one byte, and its bytes |
/// | rest | the name of the record |
struct QueryPosition: Equatable {
    var incarnation: UInt64
    /// Which of the scans of the plan; 0 in an order.
    var scan = 0
    /// The keys of the record: that of the entry, or one for each field of the order.
    var keys: [IndexKey]
    var record: RecordName

    init(incarnation: UInt64, scan: Int = 0, keys: [IndexKey], _ record: RecordName) {
        self.incarnation = incarnation
        self.scan = scan
        self.keys = keys
        self.record = record
    }

    var bytes: [UInt8] {
        var bytes = incarnation.bigEndianBytes
        bytes += [UInt8(clamping: scan), UInt8(clamping: keys.count)]
        for key in keys { bytes += [UInt8(clamping: key.bytes.count)] + key.bytes }
        return bytes + record.text.utf8
    }

    /// Nil if these are not the bytes of a position.
    init?(bytes: [UInt8]) {
        guard bytes.count > 10 else { return nil }
        incarnation = UInt64(bigEndianBytes: bytes[..<8])
        scan = Int(bytes[8])
        keys = []
        var rest = bytes[10...]
        for _ in 0..<bytes[9] {
            guard let length = rest.popFirst(), rest.count > Int(length) else { return nil }
            keys.append(IndexKey(bytes: Array(rest.prefix(Int(length)))))
            rest = rest.dropFirst(Int(length))
        }
        guard let name = RecordName(String(decoding: rest, as: UTF8.self)) else { return nil }
        record = name
    }
}

extension [Query.Order] {
    /// The keys of a record in this order, one for each field; nil if the record is in no place of it, because it has no location
    /// to measure from.
    func keys(of value: (FieldName) -> FieldValue?) -> [IndexKey]? {
        var keys: [IndexKey] = []
        for order in self {
            let own = value(order.field)
            guard let place = order.place else {
                keys.append(own.flatMap { IndexKey($0) } ?? .missing)
                continue
            }
            guard case .location(let location)? = own,
                let distance = FiniteDouble(location.coordinate.distance(to: place.coordinate)),
                let key = IndexKey(.double(distance))
            else { return nil }
            keys.append(key)
        }
        return keys
    }

    /// Whether a record with these keys is before another one. Of two with the same keys the name decides, in the direction of
    /// the first field.
    func isOrdered(
        _ left: (keys: [IndexKey], record: RecordName), before right: (keys: [IndexKey], record: RecordName)
    ) -> Bool {
        for (order, (left, right)) in zip(self, zip(left.keys, right.keys)) where left != right {
            return order.isDescending ? right < left : left < right
        }
        return first?.isDescending == true ? right.record < left.record : left.record < right.record
    }
}

/// The first records of an order among those that are shown to it, as many as fit into a page.
public struct SortedPage<Item> {
    /// An item with its place.
    private struct Place {
        var keys: [IndexKey]
        var name: RecordName
        var size: Int
        var item: Item
    }

    private let order: [Query.Order]
    private let start: (keys: [IndexKey], record: RecordName)?
    private let mostItems: Int
    private let mostBytes: Int
    private var places: [Place] = []
    private var bytes = 0
    /// Whether something was omitted because the page is full.
    public private(set) var isCut = false

    /// A page of an order that continues where `continuation` of the page before says; nil if the text is not from there.
    public init?(_ order: [Query.Order], continuing text: String?, limit: Int, bytes: Int) {
        var limits = Limits()
        limits.requestBytes = bytes
        var start: QueryPosition?
        if let text {
            guard let position = HexText.bytes(of: text).flatMap({ QueryPosition(bytes: $0) }),
                position.keys.count == order.count
            else { return nil }
            start = position
        }
        self.init(order, after: start.map { ($0.keys, $0.record) }, limit: limit, limits)
    }

    /// Where the next page begins; nil at the end. It has values of the last record in it.
    public var continuation: String? {
        guard isCut, let last else { return nil }
        return HexText.text(QueryPosition(incarnation: 0, keys: last.keys, last.record).bytes)
    }

    init(
        _ order: [Query.Order], after start: (keys: [IndexKey], record: RecordName)?, limit: Int, _ limits: Limits
    ) {
        self.order = order
        self.start = start
        mostItems = min(max(limit, 1), limits.records)
        mostBytes = limits.requestBytes
    }

    /// The items, in their order.
    public var items: [Item] { places.map(\.item) }
    /// The place of the last one.
    var last: (keys: [IndexKey], record: RecordName)? { places.last.map { ($0.keys, $0.name) } }

    /// Shows a record to the page, of this size in bytes.
    /// - Parameter value: The value of a field of the record, also of one that the hub maintains.
    public mutating func insert(_ item: Item, _ name: RecordName, size: Int, _ value: (FieldName) -> FieldValue?) {
        guard let keys = order.keys(of: value) else { return }
        if let start, !order.isOrdered(start, before: (keys, name)) { return }
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if order.isOrdered((places[middle].keys, places[middle].name), before: (keys, name)) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        places.insert(Place(keys: keys, name: name, size: size, item: item), at: low)
        bytes += size
        while places.count > mostItems || (bytes > mostBytes && places.count > 1) {
            bytes -= places.removeLast().size
            isCut = true
        }
    }
}
