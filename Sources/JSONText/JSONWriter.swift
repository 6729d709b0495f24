/// Writes JSON text without building a tree first.
///
/// It puts the commas itself: a value or name that follows anything but an opening bracket or a colon gets one.
public struct JSONWriter: Sendable {
    /// What is written so far, UTF-8.
    public internal(set) var bytes: [UInt8]

    /// A writer that continues these bytes, which it counts as its own.
    public init(continuing bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// Makes room for so many bytes.
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

    /// Writes the shortest text that reads back as the same double; `null` for what JSON has no number for.
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

    /// A number of few decimal places, as nearly all are that are measured, which is written quicker than in the general
    /// way.
    ///
    /// No two numbers of 15 digits are the same double: where so many digits read back exactly, those that are left
    /// without the zeros at the end are the shortest.
    private struct Decimal {
        /// The most bytes that one has: a sign, eleven digits, a point and nine places.
        static let longest = 22

        let isNegative: Bool
        var whole: UInt64
        /// The places behind the point, of which there is one at least, as Swift writes doubles: 5.0.
        var fraction: UInt32
        var places: Int

        /// Nil where it is none.
        init?(_ value: Double) {
            let magnitude = value.magnitude
            // Swift writes smaller ones with an exponent.
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

    /// Adds a short text without anything to escape, as nearly all are, with its quotes, its comma and at most so many bytes
    /// of what comes next, all at once; says whether it is one.
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

    /// Adds so many bytes at most, in one piece.
    private mutating func add(atMost count: Int, _ write: (inout Room) -> Void) {
        bytes.append(addingCapacity: count) { span in
            span.withUnsafeMutableBufferPointer { buffer, written in
                var room = Room(buffer)
                write(&room)
                written = room.count
            }
        }
    }

    /// Room behind the bytes. Whoever takes it knows how many bytes come at most: there is no more of it.
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

        /// The last digits of a number, from the last to the first, as they come.
        mutating func add(_ number: UInt64, width: Int) {
            var rest = number
            for place in stride(from: count + width - 1, through: count, by: -1) {
                buffer.initializeElement(at: place, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
            }
            count += width
        }
    }

    /// Writes text that a number ends.
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

    /// Whether any of the bytes needs an escape; looks at eight of them at once.
    private static func needsEscape(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        let words = UnsafeRawBufferPointer(text)
        var index = 0
        while index &+ 8 <= words.count {
            let word = words.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // The high bit of a byte is set where it is below 0x20, and where the difference to a sign is none.
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
            bytes.append(Self.hexDigits[Int(byte >> 4)])
            bytes.append(Self.hexDigits[Int(byte & 15)])
        }
    }

    /// Writes bytes that are JSON already.
    public mutating func raw(_ json: [UInt8]) {
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

    /// Writes an object with what the body writes into it.
    @inlinable
    public mutating func object<Failure: Error>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        beginObject()
        try body(&self)
        endObject()
    }

    /// Writes an array with what the body writes into it.
    @inlinable
    public mutating func array<Failure: Error>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        beginArray()
        try body(&self)
        endArray()
    }

    /// Begins an object that `endObject` ends: for what is written in steps.
    public mutating func beginObject() {
        separate()
        bytes.append(UInt8(ascii: "{"))
    }

    /// Ends the object that was begun last.
    public mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

    /// Begins an array that `endArray` ends: for what is written in steps.
    public mutating func beginArray() {
        separate()
        bytes.append(UInt8(ascii: "["))
    }

    /// Ends the array that was begun last.
    public mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

    /// Writes bytes as they are, without a comma before them.
    public mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

    private static let hexDigits = Array("0123456789abcdef".utf8)

    /// Whether a comma has to stand before what comes.
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
    /// Writes a member with text; nothing where there is none.
    public mutating func member(_ key: String, _ value: String?) {
        guard let value else { return }
        self.key(key)
        string(value)
    }

    /// Writes a member with text that a number ends.
    public mutating func member(_ key: String, _ beginning: String, numbered number: Int64) {
        self.key(key)
        string(beginning, numbered: number)
    }

    /// Writes a member with a bool; nothing where there is none.
    public mutating func member(_ key: String, _ value: Bool?) {
        guard let value else { return }
        self.key(key)
        bool(value)
    }

    /// Writes a member with an integer; nothing where there is none.
    @inlinable
    public mutating func member(_ key: String, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        self.key(key)
        integer(value)
    }

    /// Writes a member with a number; nothing where there is none or it is not finite.
    public mutating func member(_ key: String, _ value: Double?) {
        guard let value, value.isFinite else { return }
        if let decimal = Decimal(value) {
            // Nearly always all of it at once.
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
