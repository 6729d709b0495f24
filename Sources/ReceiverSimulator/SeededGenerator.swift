import Glibc

/// A reproducible random number generator: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
///
/// Its distributions are implemented here, because the standard library's algorithms may change: a seed must always
/// give the same recording.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The generator with this seed. Different streams are independent, so that drawing more numbers for one purpose
    /// does not change those for another.
    public init(seed: UInt64, stream: UInt64 = 0) {
        var mixed = SeededGenerator(state: seed)
        let first = mixed.next()
        state = first ^ (stream &* 0xd1b5_4a32_d192_ed03)
    }

    /// A generator with this state.
    init(state: UInt64) { self.state = state }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }

    /// A uniformly distributed number from 0 up to but not including 1.
    public mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// A normally distributed number with mean 0 and standard deviation 1 (Box and Muller).
    public mutating func normal() -> Double {
        let radius = (-2 * log(1 - unit())).squareRoot()
        return radius * cos(2 * .pi * unit())
    }

    /// A whole number from 0 up to but not including the count; 0 for a count below 1.
    public mutating func index(below count: Int) -> Int {
        count < 1 ? 0 : Int(unit() * Double(count))
    }

    /// Whether an event with this probability occurs.
    public mutating func happens(_ probability: Double) -> Bool { unit() < probability }
}
