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
        if quote(key, isName: true) { return }
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

    /// Writes an integer's digits from the last to the first, as they come.
    @usableFromInline
    mutating func decimal(_ value: Int64) {
        separate()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = digits.count
            repeat {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            } while rest != 0
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Writes the shortest text that reads back as the same double; `null` for what JSON has no number for.
    public mutating func number(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        if !writeDecimal(value) { bytes.append(contentsOf: value.description.utf8) }
    }

    /// Writes a number of few decimal places, as nearly all that are measured are, quicker than the general way; says
    /// whether it is one.
    ///
    /// No two numbers of 15 digits are the same double: where so many digits read back exactly, those that are left
    /// without the zeros at the end are the shortest.
    private mutating func writeDecimal(_ value: Double) -> Bool {
        let magnitude = value.magnitude
        let places: Int
        let scale: Double
        switch magnitude {
        case 1e-4..<1e6: (places, scale) = (9, 1e9)
        case 1e6..<1e12: (places, scale) = (3, 1e3)
        default: return false
        }
        let scaled = (magnitude * scale).rounded()
        guard scaled / scale == magnitude else { return false }
        let digits = UInt64(scaled)
        let (whole, rest) = digits.quotientAndRemainder(dividingBy: UInt64(scale))
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { text in
            var start = text.count
            func add(_ byte: UInt8) {
                start -= 1
                text.initializeElement(at: start, to: byte)
            }
            var fraction = UInt32(truncatingIfNeeded: rest)
            var left = places
            // One place stays, as Swift writes doubles: 5.0.
            while left > 1, fraction % 10 == 0 {
                fraction /= 10
                left -= 1
            }
            for _ in 0..<left {
                add(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction % 10))
                fraction /= 10
            }
            add(UInt8(ascii: "."))
            var integer = whole
            repeat {
                add(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: integer % 10))
                integer /= 10
            } while integer > 0
            if value < 0 { add(UInt8(ascii: "-")) }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        }
        return true
    }

    /// Writes text, with escapes for quotes, backslashes and control characters.
    public mutating func string(_ value: String) {
        if quote(value, isName: false) { return }
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

    /// Adds a short text without anything to escape, as nearly all are, with what stands around it, all at once; says
    /// whether it is one.
    private mutating func quote(_ value: String, isName: Bool) -> Bool {
        let isSeparated = needsComma
        var value = value
        return value.withUTF8 { text in
            guard text.count <= 256, !Self.needsEscape(text) else { return false }
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count + 4) { room in
                var place = 0
                func add(_ sign: UInt8) {
                    room.initializeElement(at: place, to: sign)
                    place += 1
                }
                if isSeparated { add(UInt8(ascii: ",")) }
                add(UInt8(ascii: "\""))
                place = room[place...].initialize(fromContentsOf: text)
                add(UInt8(ascii: "\""))
                if isName { add(UInt8(ascii: ":")) }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: room[..<place]))
            }
            return true
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
    mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

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
