/// A JSON text (RFC 8259) that was checked as a whole, and whose values are read where they stand.
///
/// It needs two allocations, however many values there are: the text, and a table of the places of all values. `JSON.parse`
/// accepts the same texts, and makes a tree, which is easier to change and needs an allocation for nearly each value.
public final class JSONDocument: Sendable {
    /// Where a value is.
    struct Place {
        /// The first byte; of a string the first one in its quotation marks.
        var start: UInt32
        /// The end, without the quotation mark of a string.
        var end: UInt32
        /// The index of the place after this value and all that are in it.
        var next: UInt32
        var kind: JSONKind
        /// Whether a string has escapes, or a number a fraction or an exponent.
        var isMarked: Bool
    }

    let text: [UInt8]
    /// Values in the order of the text. An object is followed by the name and the value of each member, an array by its elements.
    let places: [Place]

    /// Checks a text of one value.
    ///
    /// - Parameters:
    ///   - maximumDepth: The greatest nesting of arrays and objects. It bounds the stack: each level is a call.
    ///   - maximumValues: The most values, names and brackets. It bounds the memory: each one needs 16 bytes.
    /// - Throws: The error and its byte offset.
    public init(_ text: [UInt8], maximumDepth: Int = 16, maximumValues: Int = 1 << 17) throws(JSONError) {
        guard text.count < UInt32.max else { throw JSONError(reason: .tooManyValues, offset: Int(UInt32.max)) }
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: text.span)
        } catch {
            throw JSONError(reason: .invalidUTF8, offset: error.byteOffsets.lowerBound)
        }
        var scan = Scan(cursor: JSONCursor(maximumDepth: maximumDepth), remainingValues: maximumValues)
        scan.cursor.skipSpace(in: text.span)
        // A value of a typical text has about so many bytes.
        scan.places.reserveCapacity(min(text.count / 12, maximumValues) + 1)
        try scan.value(in: text)
        try scan.cursor.end(in: text.span)
        self.text = text
        places = scan.places
    }

    /// The value of the whole text.
    public var root: JSONValue { JSONValue(document: self, index: 0) }

    /// Steps over a text and lists its places.
    private struct Scan {
        var cursor: JSONCursor
        var places: [Place] = []
        var remainingValues: Int

        mutating func value(in text: [UInt8]) throws(JSONError) {
            switch cursor.kind(in: text.span) {
            case .object:
                let index = try begin(.object)
                if try cursor.beginObject(in: text.span) {
                    repeat {
                        try count(1)
                        add(.string, try cursor.name(in: text.span))
                        try value(in: text)
                    } while try cursor.continueObject(in: text.span)
                }
                end(index)
            case .array:
                let index = try begin(.array)
                if try cursor.beginArray(in: text.span) {
                    repeat { try value(in: text) } while try cursor.continueArray(in: text.span)
                }
                end(index)
            case .string:
                try count(1)
                add(.string, try cursor.string(in: text.span))
            case .number:
                try count(1)
                let number = try cursor.number(in: text.span)
                // A number that no integer and no double has is an error of the text.
                if number.isInteger {
                    _ = try number.integer(in: text.span)
                } else {
                    _ = try number.double(in: text.span)
                }
                add(.number, number.range, isMarked: !number.isInteger)
            default:
                try count(1)
                let (range, kind) = try cursor.scalar(in: text.span)
                add(kind, range, isMarked: false)
            }
        }

        private mutating func add(_ kind: JSONKind, _ string: JSONString) {
            add(kind, string.range, isMarked: string.hasEscapes)
        }

        private mutating func add(_ kind: JSONKind, _ range: Range<Int>, isMarked: Bool) {
            places.append(
                Place(
                    start: UInt32(range.lowerBound), end: UInt32(range.upperBound), next: UInt32(places.count + 1),
                    kind: kind, isMarked: isMarked))
        }

        private mutating func begin(_ kind: JSONKind) throws(JSONError) -> Int {
            try count(2)
            add(kind, cursor.offset..<cursor.offset, isMarked: false)
            return places.count - 1
        }

        /// Notes the end of an object or array, which may have white space after its bracket.
        private mutating func end(_ index: Int) {
            places[index].end = UInt32(cursor.offset)
            places[index].next = UInt32(places.count)
        }

        private mutating func count(_ number: Int) throws(JSONError) {
            remainingValues -= number
            guard remainingValues >= 0 else { throw JSONError(reason: .tooManyValues, offset: cursor.offset) }
        }
    }
}
