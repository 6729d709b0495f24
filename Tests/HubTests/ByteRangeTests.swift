import TestSupport
import Testing

@testable import Hub

@Suite struct ByteRangeTests {
    @Test(arguments: [
        ("bytes=0-0", 0, 1), ("bytes=0-", 0, 10), ("bytes=3-5", 3, 3), ("bytes=9-9", 9, 1), ("bytes=9-99", 9, 1),
        ("bytes=-1", 9, 1), ("bytes=-99", 0, 10), ("bytes=-9223372036854775807", 0, 10),
        ("bytes=1-9223372036854775807", 1, 9),
    ])
    func `a range is the bytes that it names`(header: String, first: Int64, count: Int64) {
        #expect(ByteRange.read(header, size: 10) == .range(ByteRange(first: first, count: count)))
    }

    @Test(arguments: ["bytes=10-", "bytes=10-12", "bytes=-0", "bytes=9223372036854775807-"])
    func `bytes that there are not are not satisfiable`(header: String) {
        #expect(ByteRange.read(header, size: 10) == .unsatisfiable)
        #expect(ByteRange.read("bytes=0-", size: 0) == .unsatisfiable)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=1", "bytes=+1-2", "bytes=1-2,3-4", "bytes= 1-2",
        "bytes=1--2",
        "items=1-2", "bytes=9223372036854775808-", "bytes=-9223372036854775808", "bytes=٣-٤",
    ])
    func `what is not understood is ignored`(header: String) {
        #expect(ByteRange.read(header, size: 10) == .ignored)
    }

    @Test func `whatever a client sends, a range is within the asset`() {
        var random = SeededGenerator()
        let pieces = ["bytes=", "-", ",", "0", "9", "10", "99999999999999999999", " ", "x", "="]
        for _ in 0..<20_000 {
            let header =
                "bytes="
                + (0..<Int.random(in: 0..<6, using: &random)).map { _ in
                    pieces[Int.random(in: 0..<pieces.count, using: &random)]
                }.joined()
            let size = Int64.random(in: 0...200, using: &random)
            guard case .range(let range) = ByteRange.read(header, size: size) else { continue }
            #expect(range.first >= 0 && range.count > 0 && range.first + range.count <= size, "\(header) of \(size)")
        }
    }
}
