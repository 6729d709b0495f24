import CSodium

/// The secret of this device from which the offsets of reduced accuracy are derived: 32 random bytes.
///
/// `description` and `customMirror` reveal nothing, so that no log line and no error can contain the key.
public struct DeviceKey: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The size in bytes, crypto_generichash_blake2b_KEYBYTES.
    public static let size = 32

    let bytes: [UInt8]

    /// A key of these bytes; nil unless there are 32.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// A new key from the system's random numbers, randombytes_buf(3).
    public init() throws(DeviceKeyError) {
        guard sodium_init() >= 0 else { throw .noRandomness }
        var bytes = [UInt8](repeating: 0, count: Self.size)
        randombytes_buf(&bytes, bytes.count)
        self.bytes = bytes
    }

    /// 128 bits derived from the key and three numbers: keyed BLAKE2b (RFC 7693), personalised for reduced accuracy,
    /// crypto_generichash_blake2b_salt_personal.
    public func digest(_ x: Int32, _ y: Int32, _ z: Int32) -> (UInt64, UInt64) {
        digest(of: (x.littleEndian, y.littleEndian, z.littleEndian), for: "waymark reduced ")
    }

    /// A number that identifies the key without revealing it.
    public var identifier: UInt64 {
        digest(of: (Int32(0), Int32(0), Int32(0)), for: "waymark identity").0
    }

    /// A fixed text that reveals nothing.
    public var description: String { "a device key" }

    /// An empty mirror, which reveals nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }

    private func digest(of message: (Int32, Int32, Int32), for purpose: StaticString) -> (UInt64, UInt64) {
        var output = (UInt64(0), UInt64(0))
        let size = MemoryLayout.size(ofValue: output)
        withUnsafeMutablePointer(to: &output) { output in
            withUnsafePointer(to: message) { message in
                // Cannot fail: all lengths are constants within the function's bounds, and a purpose has 16 bytes.
                _ = crypto_generichash_blake2b_salt_personal(
                    UnsafeMutableRawPointer(output), size, UnsafeRawPointer(message),
                    UInt64(MemoryLayout.size(ofValue: message.pointee)), bytes, bytes.count, nil, purpose.utf8Start)
            }
        }
        return (UInt64(littleEndian: output.0), UInt64(littleEndian: output.1))
    }
}
