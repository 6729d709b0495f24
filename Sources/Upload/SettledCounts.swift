/// How many positions of a recording the destination has accepted and how many its filter left out, since the recording
/// began.
///
/// The recording stores both numbers together with its cursor, so a position is counted once, however often a process
/// sends it and whenever processes or connections end: the stored numbers cover everything up to the stored cursor, and
/// this value covers the numbers above it. A process that ends takes the latter with it, and the next process sends
/// those positions again and counts them then.
struct SettledCounts: Equatable, Sendable {
    /// The numbers of one kind.
    struct Kind: Equatable, Sendable {
        /// The count stored with the cursor.
        var stored: Int64 = 0
        /// The numbers above the stored cursor.
        private var ahead = SequenceSet()
        /// How many numbers above the stored cursor are counted.
        private(set) var unstored: Int64 = 0

        /// The most ranges that are held apart. A number beyond is counted with the next cursor that is stored.
        static let mostRanges = 4_096

        /// The whole count.
        var all: Int64 { stored + unstored }

        private mutating func insert(_ range: ClosedRange<Int64>) {
            unstored += Int64(range.count)
            if ahead.ranges.count < Self.mostRanges || ahead.touchesLast(range) { ahead.insert(range) }
        }

        /// Counts ascending numbers, none of which is counted already.
        mutating func insert(_ numbers: some Sequence<Int64>) {
            var range: ClosedRange<Int64>?
            for number in numbers {
                guard let before = range else {
                    range = number...number
                    continue
                }
                if number == before.upperBound + 1 {
                    range = before.lowerBound...number
                } else {
                    insert(before)
                    range = number...number
                }
            }
            if let range { insert(range) }
        }

        /// How many are counted up to this number, as far as they are not stored.
        func count(through number: Int64) -> Int64 { unstored - ahead.count(above: number) }

        /// The recording has stored the cursor with its counts.
        mutating func store(through number: Int64) {
            let count = count(through: number)
            stored += count
            unstored -= count
            ahead.removeAll(through: number)
        }

        /// The recording was opened again: its cursor and its count are those.
        mutating func reopen(through number: Int64, stored count: Int64) {
            store(through: number)
            stored = count
        }
    }

    /// The positions that the destination has accepted.
    var sent = Kind()
    /// The positions that the filter of the destination has left out.
    var filtered = Kind()

    /// What to store with a cursor: the counts of the numbers above the stored cursor and up to this one.
    func acknowledgement(upTo number: Int64) -> Acknowledgement {
        Acknowledgement(upTo: number, sent: sent.count(through: number), filtered: filtered.count(through: number))
    }

    /// The recording has stored the cursor with its counts.
    mutating func store(through number: Int64) {
        sent.store(through: number)
        filtered.store(through: number)
    }
}

/// A cursor with the counts of the positions that it passes.
public struct Acknowledgement: Equatable, Sendable {
    /// All numbers up to this one are settled.
    public let upTo: Int64
    /// The positions between the stored cursor and this one that the destination has accepted.
    public let sent: Int64
    /// The positions between the stored cursor and this one that the filter has left out.
    public let filtered: Int64

    /// A cursor that passes this many positions.
    public init(upTo: Int64, sent: Int64 = 0, filtered: Int64 = 0) {
        (self.upTo, self.sent, self.filtered) = (upTo, sent, filtered)
    }
}
