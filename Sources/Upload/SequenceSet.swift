/// A set of sequence numbers that are mostly contiguous.
struct SequenceSet: Equatable, Sendable {
    /// The ranges, ascending, with a gap between each two.
    private(set) var ranges: [ClosedRange<Int64>] = []

    /// Adds a range, which may touch or overlap existing ones.
    mutating func insert(_ range: ClosedRange<Int64>) {
        // Nearly always numbers are added in ascending order.
        if let last = ranges.last, range.lowerBound > last.upperBound + 1 { return ranges.append(range) }
        let first = ranges.firstIndex { $0.upperBound >= range.lowerBound - 1 } ?? ranges.count
        let end = ranges[first...].firstIndex { $0.lowerBound > range.upperBound + 1 } ?? ranges.count
        guard first < end else { return ranges.insert(range, at: first) }
        let lower = min(range.lowerBound, ranges[first].lowerBound)
        let upper = max(range.upperBound, ranges[end - 1].upperBound)
        ranges.replaceSubrange(first..<end, with: [lower...upper])
    }

    /// The range of the set that contains a number.
    func range(containing number: Int64) -> ClosedRange<Int64>? {
        ranges.first { $0.upperBound >= number }.flatMap { $0.contains(number) ? $0 : nil }
    }

    /// The largest number of the set that is not above this one.
    func last(notAbove number: Int64) -> Int64? {
        ranges.last { $0.lowerBound <= number }.map { min($0.upperBound, number) }
    }

    /// Whether a range touches or overlaps the last one of the set, so that inserting it adds none.
    func touchesLast(_ range: ClosedRange<Int64>) -> Bool {
        ranges.last.map { range.lowerBound >= $0.lowerBound && range.lowerBound <= $0.upperBound + 1 } ?? false
    }

    /// How many numbers of the set are above this one.
    func count(above number: Int64) -> Int64 {
        ranges.reversed().lazy.prefix { $0.upperBound > number }
            .reduce(0) { $0 + $1.upperBound - max($1.lowerBound - 1, number) }
    }

    /// Removes all numbers up to this one.
    mutating func removeAll(through number: Int64) {
        ranges.removeAll { $0.upperBound <= number }
        if let first = ranges.first, first.lowerBound <= number { ranges[0] = (number + 1)...first.upperBound }
    }
}
