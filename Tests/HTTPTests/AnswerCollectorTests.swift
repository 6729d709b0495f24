import TestSupport
import Testing
import Upload

@testable import HTTP

@Suite struct AnswerCollectorTests {
    private func append(_ lines: [String], into collector: inout AnswerCollector) {
        for line in lines { Array(line.utf8).withUnsafeBytes { collector.appendLine($0) } }
    }

    @Test func `the last head counts, and trailers do not`() {
        var collector = AnswerCollector()
        append(
            [
                "HTTP/1.1 103 Early Hints\r\n", "Link: a\r\n", "\r\n", "HTTP/2 200\r\n", "date:now\r\n", "no colon\r\n",
                "\r\n",
                "Retry-After: 9\r\n", "\r\n",
            ], into: &collector)
        #expect(collector.finish(status: 200) == HTTPAnswer(status: 200, headers: [HTTPAnswer.Header("date", "now")]))
        #expect(collector.finish(status: 0) == HTTPAnswer(status: 0))
    }

    @Test func `the collected size is bounded for any input`() {
        var random = SeededGenerator()
        let pieces = ["HTTP/1.1 200 Ok\r\n", "\r\n", ":", ": \r\n", "a:\u{0}b\r\n", "é: ü\r\n", "\n"]
        for _ in 0..<200 {
            var collector = AnswerCollector()
            for _ in 0..<Int.random(in: 1...300, using: &random) {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: append([pieces[Int.random(in: 0..<pieces.count, using: &random)]], into: &collector)
                case 1:
                    let length = Int.random(in: 0...20_000, using: &random)
                    append(["x: \(String(repeating: "y", count: length))\r\n"], into: &collector)
                default:
                    let body = [UInt8](repeating: 7, count: Int.random(in: 0...16_384, using: &random))
                    let hasRoom = body.withUnsafeBytes { collector.appendBody($0) }
                    #expect(hasRoom == !collector.isFull)
                }
            }
            #expect(collector.head.count <= AnswerCollector.mostHeaders)
            let headBytes = collector.head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
            // Invalid UTF-8 becomes longer when it is repaired.
            #expect(headBytes <= 3 * AnswerCollector.mostHeadBytes)
            #expect(collector.body.count <= HTTPAnswer.longestBody)
        }
    }
}
