import Glibc

/// Random numbers that can be had again: a failing test prints the seed, WAYMARK_TEST_SEED brings it back. SplitMix64.
public struct SeededGenerator: RandomNumberGenerator, CustomStringConvertible {
    /// The number it started from.
    public let seed: UInt64
    private var state: UInt64

    /// A generator that starts from this number.
    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// A generator that starts from WAYMARK_TEST_SEED, or from a new number that it prints.
    public init() {
        if let text = getenv("WAYMARK_TEST_SEED"), let seed = UInt64(String(cString: text)) {
            self.init(seed: seed)
        } else {
            self.init(seed: UInt64.random(in: 0...UInt64.max))
            print("again with WAYMARK_TEST_SEED=\(seed)")
        }
    }

    /// A generator for a test that judges a sample's figures: it starts from WAYMARK_TEST_SEED, or from this number, as
    /// one sample in many is far off by chance.
    public init(sample number: UInt64) {
        self.init(seed: getenv("WAYMARK_TEST_SEED").flatMap { UInt64(String(cString: $0)) } ?? number)
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The seed, for a test's comment.
    public var description: String { "seed \(seed)" }
}
