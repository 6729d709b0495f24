import TestSupport
import Testing

@testable import PowerCut

@Suite struct SimulatedFileTests {
    @Test func `each block after a cut is one that the file had, and synchronized blocks stay`() {
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            let blockSize = 8
            var file = SimulatedFile()
            var versions: [[UInt8]] = [[]]
            for index in 0..<Int.random(in: 1...12, using: &random) {
                if Int.random(in: 0..<4, using: &random) == 0 {
                    file.add(.truncate(size: Int.random(in: 0...40, using: &random)), at: index)
                } else {
                    let bytes = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                        UInt8.random(in: 1...255, using: &random)
                    }
                    file.add(.write(offset: Int.random(in: 0...30, using: &random), bytes: bytes[...]), at: index)
                }
                versions.append(file.content(before: index + 1))
                if Int.random(in: 0..<5, using: &random) == 0 {
                    file.synchronize(before: index + 1)
                    versions = [file.durable]
                }
            }
            let cut = file.scattered(blockSize: blockSize, using: &random)
            #expect(versions.contains { $0.count == cut.count })
            func block(_ number: Int, _ content: [UInt8]) -> [UInt8] {
                let part = Array(content.dropFirst(number * blockSize).prefix(blockSize))
                return part + [UInt8](repeating: 0, count: blockSize - part.count)
            }
            for number in 0..<(cut.count / blockSize) {
                #expect(versions.contains { block(number, $0) == block(number, cut) }, "seed \(seed), block \(number)")
            }
        }
    }
}
