import JSONText

/// A member of a JSON object, or an element of an array, as positions within a line.
struct LineMember {
    // 32-bit positions, because there may be many members; a line has at most 64 KiB.
    private let keyStart: UInt32
    private let keyEnd: UInt32
    private let valueStart: UInt32
    private let valueEnd: UInt32
    private let nextPlace: UInt32
    /// The kind of the value.
    let kind: JSONKind

    init(key: Range<Int>, value: Range<Int>, kind: JSONKind, next: Int) {
        keyStart = UInt32(key.lowerBound)
        keyEnd = UInt32(key.upperBound)
        valueStart = UInt32(value.lowerBound)
        valueEnd = UInt32(value.upperBound)
        self.kind = kind
        nextPlace = UInt32(next)
    }

    /// The name without quotation marks, with its escapes; empty for an element.
    var key: Range<Int> { Int(keyStart)..<Int(keyEnd) }
    /// The value: a string without quotation marks, or a whole number or word. Without meaning for objects and arrays.
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    /// The index of the next member of the same object, in the list of all members of the line.
    var next: Int { Int(nextPlace) }
}
