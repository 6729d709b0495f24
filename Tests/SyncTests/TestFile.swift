import Cryptography
import Records
import TestSupport

/// A file of some bytes.
struct TestFile: Equatable, Sendable {
    let bytes: [UInt8]
    let asset: Asset

    /// Bytes that look random, and others for each seed.
    init(count: Int, seed: UInt8 = 1) {
        var random = SeededGenerator(seed: UInt64(seed))
        self.init(random.bytes(count))
    }

    /// - Parameter size: The size that is claimed.
    init(_ bytes: [UInt8], size: Int64? = nil) {
        self.bytes = bytes
        var hash = ContentHash()
        hash.update(bytes)
        guard let asset = Asset(digest: hash.digest, size: size ?? Int64(bytes.count)) else {
            preconditionFailure("a digest has 32 bytes")
        }
        self.asset = asset
    }
}
