/// Writes JSON text without building a tree first.
///
/// It inserts the commas itself: a value or name gets one unless it follows an opening bracket or a colon.
public struct JSONWriter: Sendable {
    /// The text written so far, UTF-8.
    public internal(set) var bytes: [UInt8]

    /// A writer that appends to these bytes.
    public init(continuing bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// Reserves capacity for so many bytes.
    public mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

    /// Writes a name within an object; a value has to follow.
    public mutating func key(_ key: String) {
        if addQuoted(key, before: 1, { $0.add(UInt8(ascii: ":")) }) { return }
        string(key)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes `null`.
    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes an integer.
    @inlinable
    public mutating func integer(_ value: some BinaryInteger) {
        if let value = Int64(exactly: value) { decimal(value) } else { large(String(value)) }
    }

    @usableFromInline
    mutating func large(_ digits: String) {
        separate()
        bytes.append(contentsOf: digits.utf8)
    }

    @usableFromInline
    mutating func decimal(_ value: Int64) {
        let isSeparated = needsComma
        // A comma, a sign and twenty digits.
        add(atMost: 22) { room in
            if isSeparated { room.add(UInt8(ascii: ",")) }
            if value < 0 { room.add(UInt8(ascii: "-")) }
            room.add(decimal: value.magnitude)
        }
    }

    /// Writes the shortest text that is read back as the same double; `null` for values that JSON has no number for.
    public mutating func number(_ value: Double) {
        guard value.isFinite else { return null() }
        let isSeparated = needsComma
        if let decimal = Decimal(value) {
            return add(atMost: 1 + Decimal.longest) { room in
                if isSeparated { room.add(UInt8(ascii: ",")) }
                room.add(decimal)
            }
        }
        separate()
        bytes.append(contentsOf: value.description.utf8)
    }

    /// A number of few decimal places, as nearly all measured ones are, which can be written faster than a general
    /// number.
    ///
    /// No two numbers of 15 digits are the same double: if so many digits are read back exactly, they are the shortest
    /// text once trailing zeros are removed.
    private struct Decimal {
        /// The greatest length in bytes: a sign, eleven digits, a point and nine places.
        static let longest = 22

        let isNegative: Bool
        var whole: UInt64
        /// The decimal places, at least one, as in Swift's text of a double: 5.0.
        var fraction: UInt32
        var places: Int

        /// Nil if the number has another form.
        init?(_ value: Double) {
            let magnitude = value.magnitude
            // Swift writes smaller numbers with an exponent.
            guard magnitude < 1e11, magnitude >= 1e-4 || magnitude == 0 else { return nil }
            isNegative = value.sign == .minus
            let few = Int64(magnitude * 1e4 + 0.5)
            if Double(few) / 1e4 == magnitude {
                (whole, fraction, places) = (few.magnitude / 10_000, UInt32(few.magnitude % 10_000), 4)
            } else {
                guard magnitude < 1e6 else { return nil }
                let many = Int64(magnitude * 1e9 + 0.5)
                guard Double(many) / 1e9 == magnitude else { return nil }
                (whole, fraction, places) = (many.magnitude / 1_000_000_000, UInt32(many.magnitude % 1_000_000_000), 9)
            }
            while places > 1, fraction % 10 == 0 {
                fraction /= 10
                places -= 1
            }
        }
    }

    /// Writes text, with escapes for quotes, backslashes and control characters.
    public mutating func string(_ value: String) {
        if addQuoted(value, before: 0, { _ in }) { return }
        separate()
        bytes.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { text in
            var start = 0
            for index in text.indices where Self.needsEscape(text[index]) {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
                escape(text[index])
                start = index + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a short text without escapes, which nearly all texts are, with its quotes, its comma and at most `most`
    /// bytes of the following value in one step; returns whether the text had this form.
    private mutating func addQuoted(_ text: String, before most: Int, _ next: (inout Room) -> Void) -> Bool {
        let isSeparated = needsComma
        var text = text
        return text.withUTF8 { text in
            guard text.count <= 256, !Self.needsEscape(text) else { return false }
            add(atMost: text.count + 3 + most) { room in
                if isSeparated { room.add(UInt8(ascii: ",")) }
                room.add(UInt8(ascii: "\""))
                room.add(text)
                room.add(UInt8(ascii: "\""))
                next(&room)
            }
            return true
        }
    }

    /// Appends at most `count` bytes in one step.
    private mutating func add(atMost count: Int, _ write: (inout Room) -> Void) {
        bytes.append(addingCapacity: count) { span in
            span.withUnsafeMutableBufferPointer { buffer, written in
                var room = Room(buffer)
                write(&room)
                written = room.count
            }
        }
    }

    /// Uninitialized capacity after the bytes. The caller must not write more than it has reserved.
    private struct Room {
        private let buffer: UnsafeMutableBufferPointer<UInt8>
        private(set) var count = 0

        init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

        mutating func add(_ byte: UInt8) {
            buffer.initializeElement(at: count, to: byte)
            count += 1
        }

        mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
            count = buffer[count...].initialize(fromContentsOf: text)
        }

        mutating func add(_ decimal: Decimal) {
            if decimal.isNegative { add(UInt8(ascii: "-")) }
            add(decimal: decimal.whole)
            add(UInt8(ascii: "."))
            add(UInt64(decimal.fraction), width: decimal.places)
        }

        mutating func add(decimal number: UInt64) {
            var width = 1
            var rest = number
            while rest >= 10 {
                rest /= 10
                width += 1
            }
            add(number, width: width)
        }

        /// Writes the last digits of a number, starting with the last one.
        mutating func add(_ number: UInt64, width: Int) {
            var rest = number
            for place in stride(from: count + width - 1, through: count, by: -1) {
                buffer.initializeElement(at: place, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
            }
            count += width
        }
    }

    /// Writes text that ends with a number.
    public mutating func string(_ beginning: String, numbered number: Int64) {
        string(beginning)
        bytes.removeLast()
        // A sign, twenty digits and the quote.
        add(atMost: 22) { room in
            if number < 0 { room.add(UInt8(ascii: "-")) }
            room.add(decimal: number.magnitude)
            room.add(UInt8(ascii: "\""))
        }
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }

    /// Whether any of the bytes needs an escape; checks eight bytes at once.
    private static func needsEscape(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        let words = UnsafeRawBufferPointer(text)
        var index = 0
        while index &+ 8 <= words.count {
            let word = words.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // The high bit of a byte is set if the byte is below 0x20, or if its difference to a special character is
            // zero.
            var found = (word &- ones &* 0x20) & ~word
            for sign in [UInt64(0x22), 0x5C, 0x7F] {
                let difference = word ^ (ones &* sign)
                found |= (difference &- ones) & ~difference
            }
            if found & highBits != 0 { return true }
            index &+= 8
        }
        while index < text.count {
            if needsEscape(text[index]) { return true }
            index &+= 1
        }
        return false
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
        case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
        case UInt8(ascii: "\n"): bytes.append(contentsOf: #"\n"#.utf8)
        case UInt8(ascii: "\r"): bytes.append(contentsOf: #"\r"#.utf8)
        case UInt8(ascii: "\t"): bytes.append(contentsOf: #"\t"#.utf8)
        default:
            bytes.append(contentsOf: #"\u00"#.utf8)
            bytes.append(HexText.digit(byte >> 4))
            bytes.append(HexText.digit(byte & 15))
        }
    }

    /// Appends bytes that are JSON already.
    public mutating func raw(_ json: [UInt8]) { raw(json[...]) }

    /// Appends bytes that are JSON already.
    public mutating func raw(_ json: ArraySlice<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Writes a whole value.
    public mutating func value(_ value: JSON) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .number(let value): number(value)
        case .string(let value): string(value)
        case .array(let values): array { writer in values.forEach { writer.value($0) } }
        case .object(let members): object { writer in members.forEach { writer.member($0.key, $0.value) } }
        }
    }

    /// Writes an object; the body writes its members.
    @inlinable
    public mutating func object<Failure: Error>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        beginObject()
        try body(&self)
        endObject()
    }

    /// Writes an array; the body writes its elements.
    @inlinable
    public mutating func array<Failure: Error>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        beginArray()
        try body(&self)
        endArray()
    }

    /// Begins an object that `endObject` ends, for writing in steps.
    public mutating func beginObject() {
        separate()
        bytes.append(UInt8(ascii: "{"))
    }

    /// Ends the last object that was begun.
    public mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

    /// Begins an array that `endArray` ends, for writing in steps.
    public mutating func beginArray() {
        separate()
        bytes.append(UInt8(ascii: "["))
    }

    /// Ends the last array that was begun.
    public mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

    /// Appends bytes unchanged, without a comma before them.
    public mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

    /// Whether a comma is required before the next value.
    private var needsComma: Bool {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): false
        default: true
        }
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }
}

extension JSONWriter {
    /// Writes a member with text; nothing for nil.
    public mutating func member(_ key: String, _ value: String?) {
        guard let value else { return }
        self.key(key)
        string(value)
    }

    /// Writes a member with text that ends with a number.
    public mutating func member(_ key: String, _ beginning: String, numbered number: Int64) {
        self.key(key)
        string(beginning, numbered: number)
    }

    /// Writes a member with a bool; nothing for nil.
    public mutating func member(_ key: String, _ value: Bool?) {
        guard let value else { return }
        self.key(key)
        bool(value)
    }

    /// Writes a member with an integer; nothing for nil.
    @inlinable
    public mutating func member(_ key: String, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        self.key(key)
        integer(value)
    }

    /// Writes a member with a number; nothing for nil or a number that is not finite.
    public mutating func member(_ key: String, _ value: Double?) {
        guard let value, value.isFinite else { return }
        if let decimal = Decimal(value) {
            // Nearly always the member is written in one step.
            let isWritten = addQuoted(key, before: 1 + Decimal.longest) { room in
                room.add(UInt8(ascii: ":"))
                room.add(decimal)
            }
            if isWritten { return }
        }
        self.key(key)
        number(value)
    }

    /// Writes a member with a list of texts.
    public mutating func member(_ key: String, _ values: [String]) {
        array(key) { writer in values.forEach { writer.string($0) } }
    }

    /// Writes a member with a whole value.
    public mutating func member(_ key: String, _ value: JSON) {
        self.key(key)
        self.value(value)
    }

    /// Writes a member that is an object.
    @inlinable
    public mutating func object<Failure: Error>(
        _ key: String, _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        self.key(key)
        try object(body)
    }

    /// Writes a member that is an array.
    @inlinable
    public mutating func array<Failure: Error>(
        _ key: String, _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        self.key(key)
        try array(body)
    }
}
