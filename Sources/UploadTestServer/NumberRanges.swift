/// A set of numbers, stored as its contiguous ranges: a million consecutive numbers need as much memory as one.
struct NumberRanges: Equatable, Sendable {
    /// Ascending, with at least one number missing between two ranges.
    private(set) var ranges: [ClosedRange<Int64>] = []
    /// The number of elements.
    private(set) var count = 0

    /// Whether the set contains a number.
    func contains(_ number: Int64) -> Bool {
        let place = firstEnding(atOrAfter: number)
        return place < ranges.count && ranges[place].contains(number)
    }

    /// Adds a number; false if the set contains it already.
    @discardableResult
    mutating func insert(_ number: Int64) -> Bool {
        let place = firstEnding(atOrAfter: number)
        if place < ranges.count, ranges[place].contains(number) { return false }
        count += 1
        let continues = place > 0 && ranges[place - 1].upperBound == number - 1
        let precedes = place < ranges.count && ranges[place].lowerBound == number + 1
        switch (continues, precedes) {
        case (true, true):
            ranges[place - 1] = ranges[place - 1].lowerBound...ranges[place].upperBound
            ranges.remove(at: place)
        case (true, false): ranges[place - 1] = ranges[place - 1].lowerBound...number
        case (false, true): ranges[place] = number...ranges[place].upperBound
        case (false, false): ranges.insert(number...number, at: place)
        }
        return true
    }

    /// The missing ranges from 1 up to the largest number.
    var gaps: [ClosedRange<Int64>] {
        var gaps: [ClosedRange<Int64>] = []
        var next: Int64 = 1
        for range in ranges {
            if range.lowerBound > next { gaps.append(next...range.lowerBound - 1) }
            next = range.upperBound + 1
        }
        return gaps
    }

    private func firstEnding(atOrAfter number: Int64) -> Int {
        // Nearly always it is the next one.
        if let last = ranges.last, last.upperBound < number { return ranges.count }
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
