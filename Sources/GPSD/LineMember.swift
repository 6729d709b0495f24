import JSONText

/// A member of a JSON object, or an element of an array, by its place in a line.
struct LineMember {
    // A line has at most 64 KiB, and there may be a member for every few bytes of it.
    private let keyStart: UInt32
    private let keyEnd: UInt32
    private let valueStart: UInt32
    private let valueEnd: UInt32
    private let nextPlace: UInt32
    /// What the value is.
    let kind: JSONKind

    init(key: Range<Int>, value: Range<Int>, kind: JSONKind, next: Int) {
        keyStart = UInt32(key.lowerBound)
        keyEnd = UInt32(key.upperBound)
        valueStart = UInt32(value.lowerBound)
        valueEnd = UInt32(value.upperBound)
        self.kind = kind
        nextPlace = UInt32(next)
    }

    /// The name without its quotation marks, escapes as they stand; empty for an element.
    var key: Range<Int> { Int(keyStart)..<Int(keyEnd) }
    /// The value: a string without its quotation marks, a number or word whole; nothing of use for objects and arrays.
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    /// Where the next member of the same object stands in the list of all that are in the line.
    var next: Int { Int(nextPlace) }
}
