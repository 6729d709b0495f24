import Regions

/// The order in which rows are put in an index, or taken from it: neighbours in the index one after the other, so that a
/// page is written once and not a thousand times. Only the speed depends on it.
struct RowOrder {
    private var entries: [(key: UInt64, number: Int64)] = []
    private var position = 0

    /// How many rows it has.
    var count: Int { entries.count }

    mutating func append(_ number: Int64, key: UInt64) { entries.append((key, number)) }

    /// Ends the collection.
    mutating func sort() { entries.sort { ($0.key, $0.number) < ($1.key, $1.number) } }

    /// The next rows.
    mutating func popFirst(_ count: Int) -> [Int64] {
        let end = min(position + count, entries.count)
        defer { position = end }
        return entries[position..<end].map(\.number)
    }

    /// Whether all rows were taken.
    var isAtEnd: Bool { position == entries.count }

    /// Near points have near keys in most cases: the bits of the three coordinates of the middle, 21 of each, in turn (a
    /// Morton code).
    static func key(of bounds: Bounds) -> UInt64 {
        func spread(_ low: Double, _ high: Double) -> UInt64 {
            // The Earth's radius is less than 6,400 km; a box of a large region may extend beyond.
            let share = ((low + high) / 2 + 6_400_000) / 12_800_000
            var bits = UInt64(max(0, min(share, 1)) * Double((1 << 21) - 1))
            bits = (bits | bits << 32) & 0x001F_0000_0000_FFFF
            bits = (bits | bits << 16) & 0x001F_0000_FF00_00FF
            bits = (bits | bits << 8) & 0x100F_00F0_0F00_F00F
            bits = (bits | bits << 4) & 0x10C3_0C30_C30C_30C3
            return (bits | bits << 2) & 0x1249_2492_4924_9249
        }
        return spread(bounds.low.x, bounds.high.x) << 2 | spread(bounds.low.y, bounds.high.y) << 1
            | spread(bounds.low.z, bounds.high.z)
    }

    /// The first eight bytes of an identifier after those that all have in common.
    static func key(of identifier: String, after common: Int) -> UInt64 {
        var key: UInt64 = 0
        let bytes = identifier.utf8.dropFirst(common).prefix(8)
        for byte in bytes { key = key << 8 | UInt64(byte) }
        return bytes.count == 8 ? key : key << UInt64(8 * (8 - bytes.count))
    }
}
