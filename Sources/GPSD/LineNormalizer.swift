import Platform

/// Rewrites a line with only what libgps 3.22 can process: known attributes of the right type, within its limits.
///
/// With more than 4 devices libgps does not terminate. With more than 140 satellites, too long a text or an attribute
/// that contains an object, it rejects the rest of the line. An invalid time becomes the year 1899. Therefore libgps
/// receives a line that is built here; other content of the original line is lost without affecting the rest.
struct LineNormalizer {
    /// The line for libgps.
    private var line: [UInt8] = []
    /// The number of satellites beyond libgps's limit.
    private(set) var droppedSatellites = 0
    private var hasMember = false

    init() {
        line.reserveCapacity(4096)
    }

    /// Starts an object of this class.
    mutating func begin(class name: StaticString) {
        line.eraseAll()
        put("{\"class\":\"")
        put(name)
        put("\"")
        hasMember = true
    }

    /// Ends the object and the line, and passes the line to libgps, which may write to it.
    mutating func end(_ unpack: (UnsafeMutablePointer<CChar>?) -> Int32) -> Int32 {
        put("}")
        line.append(0)
        return line.withUnsafeMutableBytes { unpack($0.baseAddress?.assumingMemoryBound(to: CChar.self)) }
    }

    /// Adds those members of an object that are among these attributes and have values that libgps can process; by
    /// default those of the line's own object.
    mutating func add(
        _ attributes: [Attribute], of parent: Int = 0, from members: LineMembers, in bytes: Span<UInt8>
    ) {
        for place in members.children(of: parent) {
            let member = members[place]
            guard let attribute = attributes.first(where: { bytes.isEqual(member.key, $0.name) }),
                Self.suits(attribute.kind, member, bytes)
            else { continue }
            let isText = member.kind == .string
            key(attribute.nameForLibrary)
            if isText { put("\"") }
            for index in member.value { line.append(bytes[index]) }
            if isText { put("\"") }
        }
    }

    /// Adds the satellites of a sky view, up to libgps's limit.
    mutating func addSatellites(_ array: Int, from members: LineMembers, in bytes: Span<UInt8>, limit: Int) {
        key("satellites")
        put("[")
        hasMember = false
        var count = 0
        for place in members.children(of: array) where members[place].kind == .object {
            guard count < limit else {
                droppedSatellites += 1
                continue
            }
            count += 1
            separate()
            put("{")
            hasMember = false
            add(Attribute.satellite, of: place, from: members, in: bytes)
            put("}")
            hasMember = true
        }
        put("]")
        hasMember = true
    }

    private mutating func key(_ name: StaticString) {
        separate()
        put("\"")
        put(name)
        put("\":")
    }

    private mutating func separate() {
        if hasMember { put(",") }
        hasMember = true
    }

    private mutating func put(_ text: StaticString) {
        line.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private static func suits(_ kind: Attribute.Kind, _ member: LineMember, _ bytes: Span<UInt8>) -> Bool {
        switch kind {
        case .real:
            return member.kind == .number && member.value.count <= 40
        case .integer(let digits):
            guard member.kind == .number else { return false }
            let isNegative = bytes[member.value.lowerBound] == UInt8(ascii: "-")
            let number = member.value.dropFirst(isNegative ? 1 : 0)
            return number.count <= digits && number.allSatisfy { isDigit(bytes[$0]) }
        case .text(let limit):
            return member.kind == .string && member.value.count <= limit
                && member.value.allSatisfy { bytes[$0] != UInt8(ascii: "\\") }
        case .time:
            return member.kind == .string && isTime(bytes, member.value)
        case .flag:
            return member.kind == .boolean
        }
    }

    /// YYYY-MM-DDThh:mm:ss, an optional fraction of up to 9 digits, and Z. Second 60 is a leap second.
    private static func isTime(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let pattern: StaticString = "0000-00-00T00:00:00"
        let length = pattern.utf8CodeUnitCount
        guard range.count > length, range.count <= length + 11 else { return false }
        for offset in 0..<length {
            let byte = bytes[range.lowerBound + offset]
            let wanted = pattern.utf8Start[offset]
            if wanted == UInt8(ascii: "0") ? !isDigit(byte) : byte != wanted { return false }
        }
        func pair(_ offset: Int) -> Int {
            Int(bytes[range.lowerBound + offset] & 15) * 10 + Int(bytes[range.lowerBound + offset + 1] & 15)
        }
        guard (1...12).contains(pair(5)), (1...31).contains(pair(8)), pair(11) < 24, pair(14) < 60, pair(17) <= 60
        else { return false }
        let tail = (range.lowerBound + length)..<range.upperBound
        guard bytes[tail.upperBound - 1] == UInt8(ascii: "Z") else { return false }
        if tail.count == 1 { return true }
        let fraction = (tail.lowerBound + 1)..<(tail.upperBound - 1)
        return bytes[tail.lowerBound] == UInt8(ascii: ".") && !fraction.isEmpty
            && fraction.allSatisfy { isDigit(bytes[$0]) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
