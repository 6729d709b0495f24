import TestSupport
import Testing

@testable import UploadTestServer

@Suite struct NumberRangesTests {
    @Test func `numbers in any order form their contiguous ranges and gaps`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var numbers = NumberRanges()
            var reference: Set<Int64> = []
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                let number = Int64.random(in: 1...40, using: &random)
                #expect(numbers.insert(number) == reference.insert(number).inserted)
            }
            #expect(numbers.count == reference.count)
            #expect(Set(numbers.ranges.flatMap { $0 }) == reference)
            #expect(zip(numbers.ranges, numbers.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
            #expect((1...40).allSatisfy { numbers.contains($0) == reference.contains($0) })
            let last = reference.max() ?? 0
            #expect(Set(numbers.gaps.flatMap { $0 }) == Set(1...last).subtracting(reference))
        }
    }
}
