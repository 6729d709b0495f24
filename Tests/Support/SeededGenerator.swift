import Glibc

/// Reproducible random numbers: a failing test prints the seed, WAYMARK_TEST_SEED sets it. SplitMix64.
public struct SeededGenerator: RandomNumberGenerator, CustomStringConvertible {
    /// The number it started from.
    public let seed: UInt64
    private var state: UInt64

    /// A generator that starts from this number.
    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// A generator with the seed of WAYMARK_TEST_SEED: a number, or `any` for a new one that it prints. Without the
    /// variable the seed is always the same, so that the result of a run depends on the tested code alone.
    public init() {
        self.init(sample: 0x5741_594D_4152_4B21)
    }

    /// The same, with this default seed where WAYMARK_TEST_SEED is not set: for a test that checks a sample's figures,
    /// as one sample in many is an outlier by chance.
    public init(sample number: UInt64) {
        switch getenv("WAYMARK_TEST_SEED").map({ String(cString: $0) }) {
        case "any":
            self.init(seed: UInt64.random(in: 0...UInt64.max))
            print("again with WAYMARK_TEST_SEED=\(seed)")
        case let text:
            self.init(seed: text.flatMap { UInt64($0) } ?? number)
        }
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Bytes that look random, fast also without optimization. As text they are visible characters of ASCII.
    public mutating func bytes(_ count: Int, asText: Bool = false) -> [UInt8] {
        let (mask, base): (UInt64, UInt64) =
            asText ? (0x3F3F_3F3F_3F3F_3F3F, 0x2121_2121_2121_2121) : (.max, 0)
        return Array(unsafeUninitializedCapacity: (count + 7) & ~7) { buffer, filled in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            var offset = 0
            while offset < count {
                bytes.storeBytes(of: (next() & mask) &+ base, toByteOffset: offset, as: UInt64.self)
                offset += 8
            }
            filled = count
        }
    }

    /// The seed, for a test's comment.
    public var description: String { "seed \(seed)" }
}
