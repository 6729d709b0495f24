import Testing

@testable import ReceiverSimulator

struct SeededGeneratorTests {
    @Test func `the numbers are those of SplitMix64`() {
        // The values that the algorithm's reference gives for 1234567.
        var generator = SeededGenerator(state: 1_234_567)
        let numbers = [generator.next(), generator.next(), generator.next()]
        #expect(numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }

    @Test func `streams of one seed differ`() {
        var first = SeededGenerator(seed: 7, stream: 1)
        var second = SeededGenerator(seed: 7, stream: 2)
        #expect(first.next() != second.next())
    }

    @Test func `normal numbers have mean 0 and deviation 1`() {
        var generator = SeededGenerator(seed: 3)
        let numbers = (0..<20_000).map { _ in generator.normal() }
        let mean = numbers.reduce(0, +) / 20_000
        let variance = numbers.reduce(0) { $0 + $1 * $1 } / 20_000
        #expect(abs(mean) < 0.03)
        #expect(abs(variance - 1) < 0.05)
    }

    @Test func `an index is below the count`() {
        var generator = SeededGenerator(seed: 4)
        let indices = Set((0..<200).map { _ in generator.index(below: 3) })
        #expect(indices == [0, 1, 2])
        #expect(generator.index(below: 0) == 0)
    }
}
