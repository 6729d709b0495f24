import Location

/// The bytes by which an index orders values: a byte for the kind of the value, and then bytes whose order is that of the
/// values.
///
/// | kind | bytes after the kind |
/// | --- | --- |
/// | 0: no value | none |
/// | 1: string, or word of one | the first 128 bytes of it |
/// | 2: bytes | the first 128 of them |
/// | 3: integer, 5: date | 8 bytes, big-endian, of the number plus 2⁶³ |
/// | 4: double | 8 bytes, big-endian, of its IEEE 754 bits, with the sign inverted, all bits inverted if it is negative |
/// | 6: location | the number of its cell, see `PlaceCell` |
/// | 7: reference | the first 128 bytes of the name |
/// | 8: asset | the digest |
/// | 255 | none: the record has more values than an index stores of a field |
///
/// Values that differ only after 128 bytes have the same key, so that a query compares the values of what it has found by a key.
public struct IndexKey: Hashable, Comparable, Sendable {
    /// The bytes.
    public let bytes: [UInt8]

    /// The most bytes of a text, bytes or a name in a key.
    static let longest = 128

    /// A key that an engine has stored, or the border of a range.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// The key of a record without a value.
    static let missing = IndexKey(bytes: [0])
    /// The key of a record with more values than an index stores of a field.
    static let overflow = IndexKey(bytes: [255])

    /// The key of a value; nil for a list, and for the value of an encrypted field.
    init?(_ value: FieldValue) {
        switch value {
        case .string(let text): self.init(1, text.utf8.prefix(Self.longest))
        case .bytes(let bytes): self.init(2, bytes.prefix(Self.longest))
        case .integer(let integer): self.init(3, UInt64(bitPattern: integer) ^ 1 << 63)
        case .double(let double): self.init(4, Self.ordered(double.value))
        case .date(let time): self.init(5, UInt64(bitPattern: time.microseconds) ^ 1 << 63)
        case .location(let place): self.init(6, PlaceCell.number(of: place.coordinate))
        case .reference(let name): self.init(7, name.text.utf8.prefix(Self.longest))
        case .asset(let asset): self.init(8, asset.digest)
        case .list, .encrypted, .sealed: return nil
        }
    }

    /// The key of a word.
    init(word: [UInt8]) { self.init(1, word.prefix(Self.longest)) }

    /// The first key of a cell, or the border after the last cell.
    init(place: UInt64) { self.init(6, place) }

    private init(_ kind: UInt8, _ bytes: some Sequence<UInt8>) { self.init(bytes: [kind] + bytes) }

    private init(_ kind: UInt8, _ number: UInt64) {
        self.init(kind, number.bigEndianBytes)
    }

    /// The bits of a number, so that the order of the bits is that of the numbers. Zero has one sign only.
    private static func ordered(_ number: Double) -> UInt64 {
        let bits = (number == 0 ? 0 : number).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    /// The smallest key after this one.
    var next: IndexKey { IndexKey(bytes: bytes + [0]) }

    /// The smallest key after all those that begin with this one.
    var end: IndexKey {
        var bytes = bytes
        while let last = bytes.last, last == 255 { bytes.removeLast() }
        if let last = bytes.popLast() { bytes.append(last + 1) }
        return IndexKey(bytes: bytes)
    }

    /// The smallest key of the same kind.
    var first: IndexKey { IndexKey(bytes: Array(bytes.prefix(1))) }

    /// By bytes, as databases compare them.
    public static func < (left: IndexKey, right: IndexKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// Keys from one on, before another one.
public struct KeyRange: Equatable, Sendable {
    /// The first key.
    public var lower: IndexKey
    /// The key that ends the range, and is not in it.
    public var upper: IndexKey

    /// A range from one key to before another one.
    public init(_ lower: IndexKey, before upper: IndexKey) {
        self.lower = lower
        self.upper = upper
    }

    /// One key.
    init(_ key: IndexKey) { self.init(key, before: key.next) }

    /// All keys, those of records without a value included.
    static let all = KeyRange(.missing, before: IndexKey(bytes: [255, 255]))

    func contains(_ key: IndexKey) -> Bool { lower <= key && key < upper }
}

extension [KeyRange] {
    /// The same keys in ranges that do not touch, in their order.
    var joined: [KeyRange] {
        var joined: [KeyRange] = []
        for range in sorted(by: { $0.lower < $1.lower }) where range.lower < range.upper {
            if let last = joined.last, range.lower <= last.upper {
                joined[joined.count - 1].upper = Swift.max(last.upper, range.upper)
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    /// The keys that are in ranges of both.
    func intersection(_ other: [KeyRange]) -> [KeyRange] {
        flatMap { left in
            other.map { KeyRange(Swift.max(left.lower, $0.lower), before: Swift.min(left.upper, $0.upper)) }
        }.joined
    }

    func contains(_ key: IndexKey) -> Bool { contains { $0.contains(key) } }
}
