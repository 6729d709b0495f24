import CSodium

/// SHA-256 (FIPS 180-4) of a file whose bytes come in parts, crypto_hash_sha256(3): its state can be stored in between, on any
/// machine.
public struct ContentHash {
    /// The size of a digest in bytes.
    public static let size = 32
    /// The size of a state: eight words of 32 bits, the number of bits so far, and what is left of a block of 64 bytes.
    private static let stateSize = 32 + 8 + 64

    private var hash = crypto_hash_sha256_state()

    /// The hash of no bytes.
    public init() { crypto_hash_sha256_init(&hash) }

    /// The hash with a state that was stored; nil for other bytes.
    public init?(state: [UInt8]) {
        self.init()
        guard state.count == Self.stateSize else { return nil }
        func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
            state[offset..<offset + Number.bitWidth / 8].reduce(0) { $0 << 8 | Number($1) }
        }
        withUnsafeMutableBytes(of: &hash.state) { room in
            let words = room.bindMemory(to: UInt32.self)
            for index in words.indices { words[index] = number(at: 4 * index) }
        }
        hash.count = number(at: 32)
        withUnsafeMutableBytes(of: &hash.buf) { $0.copyBytes(from: state[40...]) }
    }

    /// The state, to go on later. All integers are big-endian.
    public var state: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.stateSize)
        withUnsafeBytes(of: hash.state) { room in
            for word in room.bindMemory(to: UInt32.self) { withUnsafeBytes(of: word.bigEndian) { bytes += $0 } }
        }
        withUnsafeBytes(of: hash.count.bigEndian) { bytes += $0 }
        withUnsafeBytes(of: hash.buf) { bytes += $0 }
        return bytes
    }

    /// Adds bytes.
    public mutating func update(_ bytes: [UInt8]) {
        crypto_hash_sha256_update(&hash, bytes, UInt64(bytes.count))
    }

    /// The digest of all bytes so far.
    public var digest: [UInt8] {
        var last = hash
        var output = [UInt8](repeating: 0, count: Self.size)
        crypto_hash_sha256_final(&last, &output)
        return output
    }
}
