/// Finds the members of an object and the elements of an array, checking the syntax of everything on the way.
///
/// libgps 3.22 does not end on some texts that are no JSON it knows: nothing reaches it that did not pass here.
enum JSONScanner {
    /// Objects and arrays within each other; gpsd's deepest report has 3.
    static let maximumDepth = 8

    /// Calls back for each member of the object that starts here; moves past its end.
    static func members(
        of bytes: Span<UInt8>, at index: inout Int, depth: Int = 1, _ body: (JSONMember) throws(LineFault) -> Void
    ) throws(LineFault) {
        guard depth <= maximumDepth else { throw .tooDeep }
        try expect("{", in: bytes, at: &index)
        skipSpace(bytes, &index)
        if accept("}", in: bytes, at: &index) { return }
        while true {
            skipSpace(bytes, &index)
            let key = try string(bytes, &index)
            skipSpace(bytes, &index)
            try expect(":", in: bytes, at: &index)
            let (value, kind) = try value(bytes, &index, depth: depth)
            try body(JSONMember(key: key, value: value, kind: kind))
            skipSpace(bytes, &index)
            if accept("}", in: bytes, at: &index) { return }
            try expect(",", in: bytes, at: &index)
        }
    }

    /// Calls back for each element of the array that starts here; moves past its end.
    static func elements(
        of bytes: Span<UInt8>, at index: inout Int, depth: Int = 1,
        _ body: (Range<Int>, JSONMember.Kind) throws(LineFault) -> Void
    ) throws(LineFault) {
        guard depth <= maximumDepth else { throw .tooDeep }
        try expect("[", in: bytes, at: &index)
        skipSpace(bytes, &index)
        if accept("]", in: bytes, at: &index) { return }
        while true {
            let (value, kind) = try value(bytes, &index, depth: depth)
            try body(value, kind)
            skipSpace(bytes, &index)
            if accept("]", in: bytes, at: &index) { return }
            try expect(",", in: bytes, at: &index)
        }
    }

    static func skipSpace(_ bytes: Span<UInt8>, _ index: inout Int) {
        while index < bytes.count, isSpace(bytes[index]) { index += 1 }
    }

    private static func value(
        _ bytes: Span<UInt8>, _ index: inout Int, depth: Int
    ) throws(LineFault) -> (Range<Int>, JSONMember.Kind) {
        skipSpace(bytes, &index)
        guard index < bytes.count else { throw .notAnObject }
        let start = index
        switch bytes[index] {
        case UInt8(ascii: "\""):
            return (try string(bytes, &index), .string)
        case UInt8(ascii: "{"):
            try members(of: bytes, at: &index, depth: depth + 1) { _ in }
            return (start..<index, .object)
        case UInt8(ascii: "["):
            try elements(of: bytes, at: &index, depth: depth + 1) { _, _ in }
            return (start..<index, .array)
        default:
            return try word(bytes, &index)
        }
    }

    /// A number or a word: gpsd has been known to print `nan`, which is no JSON but no reason to lose the line.
    private static func word(
        _ bytes: Span<UInt8>, _ index: inout Int
    ) throws(LineFault) -> (Range<Int>, JSONMember.Kind) {
        let start = index
        while index < bytes.count, isWord(bytes[index]) { index += 1 }
        guard index > start else { throw .notAnObject }
        let range = start..<index
        if isNumber(bytes, range) { return (range, .number) }
        let isBoolean = equal(bytes, range, "true") || equal(bytes, range, "false")
        return (range, isBoolean ? .boolean : .other)
    }

    private static func string(_ bytes: Span<UInt8>, _ index: inout Int) throws(LineFault) -> Range<Int> {
        try expect("\"", in: bytes, at: &index)
        let start = index
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return start..<(index - 1)
            case UInt8(ascii: "\\"):
                index += 2
            case 0..<0x20:
                throw .notAnObject
            default:
                index += 1
            }
        }
        throw .notAnObject
    }

    /// RFC 8259, section 6.
    private static func isNumber(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        func digits() -> Int {
            let start = index
            while index < range.upperBound, isDigit(bytes[index]) { index += 1 }
            return index - start
        }
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        guard digits() > 0 else { return false }
        if index < range.upperBound, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard digits() > 0 else { return false }
        }
        if index < range.upperBound, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < range.upperBound, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            guard digits() > 0 else { return false }
        }
        return index == range.upperBound
    }

    static func equal(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        // The pointer has utf8CodeUnitCount bytes, which is the count of the range.
        for offset in 0..<range.count where bytes[range.lowerBound + offset] != text.utf8Start[offset] { return false }
        return true
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "+")
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private static func accept(_ byte: Unicode.Scalar, in bytes: Span<UInt8>, at index: inout Int) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: byte) else { return false }
        index += 1
        return true
    }

    private static func expect(
        _ byte: Unicode.Scalar, in bytes: Span<UInt8>, at index: inout Int
    ) throws(LineFault) {
        guard accept(byte, in: bytes, at: &index) else { throw .notAnObject }
    }
}
