/// What a connection had going, as it is kept beside its socket for the next process of the service: enough to go on with
/// the stream exactly where it stood. What is still to be sent is kept apart from it.
public struct KeptConversation: Equatable, Sendable {
    /// The listener that the client connected to.
    public var listenerName = ""
    /// What the daemon noted of the client; only it knows what that means.
    public var note: [UInt8] = []
    /// What was received and not yet taken as a call: complete messages, the beginning of one, or nothing.
    public var input: [UInt8] = []
    /// Whether the client has said that it sends no more.
    public var hasInputEnded = false
    /// The call in progress, as it is to be made again, without its NUL; nil where there is none.
    public var call: [UInt8]?
    /// The digests of what was said in reply to that call, as far as its method needs them; the last one is the latest.
    public var told: [UInt64] = []

    /// Nothing going.
    public init() {}

    /// The most digests that are kept of one call; the oldest is forgotten first.
    static let mostTold = 64

    /// The bytes by which it is kept.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64 + listenerName.utf8.count + note.count + input.count + (call?.count ?? 0))
        bytes.append(Self.version)
        bytes.append((hasInputEnded ? 1 : 0) | (call == nil ? 0 : 2))
        Self.append(Array(listenerName.utf8), to: &bytes)
        Self.append(note, to: &bytes)
        Self.append(input, to: &bytes)
        if let call { Self.append(call, to: &bytes) }
        Self.append(UInt32(told.count), to: &bytes)
        for digest in told { Self.append(digest, to: &bytes) }
        return bytes
    }

    /// Reads what `encoded` made; nil where it is anything else.
    public init?(decoding bytes: [UInt8]) {
        var reader = Reader(rest: bytes[...])
        guard reader.byte() == Self.version, let flags = reader.byte(), flags & ~3 == 0, let name = reader.bytes(),
            let listenerName = String(validating: name, as: UTF8.self), let note = reader.bytes(),
            let input = reader.bytes()
        else { return nil }
        self.listenerName = listenerName
        (self.note, self.input) = (note, input)
        hasInputEnded = flags & 1 != 0
        if flags & 2 != 0 {
            guard let call = reader.bytes() else { return nil }
            self.call = call
        }
        guard let count = reader.integer(UInt32.self), count <= Self.mostTold else { return nil }
        for _ in 0..<count {
            guard let digest = reader.integer(UInt64.self) else { return nil }
            told.append(digest)
        }
        guard reader.rest.isEmpty else { return nil }
    }

    private static let version: UInt8 = 1

    private static func append(_ part: [UInt8], to bytes: inout [UInt8]) {
        append(UInt32(clamping: part.count), to: &bytes)
        bytes.append(contentsOf: part)
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func byte() -> UInt8? { rest.popFirst() }

        mutating func integer<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
            let size = Number.bitWidth / 8
            guard rest.count >= size else { return nil }
            defer { rest = rest.dropFirst(size) }
            return rest.prefix(size).reversed().reduce(0) { $0 << 8 | Number($1) }
        }

        mutating func bytes() -> [UInt8]? {
            guard let count = integer(UInt32.self), count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return Array(rest.prefix(Int(count)))
        }
    }
}

/// A digest of 64 bits that tells damaged or different bytes from sound ones. It is no defence against somebody who means
/// to deceive it.
struct KeptDigest {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while offset + 8 <= bytes.count {
            add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var last = UInt64(bytes.count)
        for byte in bytes[offset...] { last = last << 8 | UInt64(byte) }
        add(last)
    }

    mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0xFF51_AFD7_ED55_8CCD
        value ^= value >> 32
    }

    static func of(_ bytes: [UInt8]) -> UInt64 {
        var digest = KeptDigest()
        bytes.withUnsafeBytes { digest.add($0) }
        return digest.value
    }
}
