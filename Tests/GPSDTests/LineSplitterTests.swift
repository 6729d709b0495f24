import GPSD
import Testing

struct LineSplitterTests {
    private func lines(_ splitter: inout LineSplitter, _ text: String) -> [String] {
        var lines: [String] = []
        splitter.feed(Array(text.utf8).span) { line in
            lines.append(line.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
        }
        return lines
    }

    @Test func `many lines at once come one by one`() {
        var splitter = LineSplitter()
        #expect(lines(&splitter, "one\r\ntwo\n\r\n\nthree\r\n") == ["one", "two", "three"])
    }

    @Test func `half a line waits for its other half`() {
        var splitter = LineSplitter()
        #expect(lines(&splitter, "on") == [])
        #expect(lines(&splitter, "e") == [])
        #expect(lines(&splitter, "\r") == [])
        #expect(lines(&splitter, "\ntwo\nthr") == ["one", "two"])
        #expect(lines(&splitter, "ee\n") == ["three"])
    }

    @Test(arguments: 1...12)
    func `lines are the same however they were cut`(_ size: Int) {
        let text = Array("first\r\nsecond line\n\nthird\r\n".utf8)
        var splitter = LineSplitter()
        var found: [String] = []
        for start in stride(from: 0, to: text.count, by: size) {
            let piece = text[start..<min(start + size, text.count)]
            found += lines(&splitter, String(decoding: piece, as: UTF8.self))
        }
        #expect(found == ["first", "second line", "third"])
    }

    @Test func `a line over the limit is dropped to its end and counted`() {
        var splitter = LineSplitter(limit: 10)
        #expect(lines(&splitter, "0123456789\n01234567890\nnext\n") == ["0123456789", "next"])
        #expect(splitter.droppedLines == 1)
        for _ in 0..<1000 { #expect(lines(&splitter, "0123456") == []) }
        #expect(splitter.droppedLines == 2)
        #expect(lines(&splitter, "tail\nnext\n") == ["next"])
        #expect(splitter.droppedLines == 2)
    }

    @Test func `a line that grows over the limit with its last piece is dropped too`() {
        var splitter = LineSplitter(limit: 10)
        #expect(lines(&splitter, "01234567") == [])
        #expect(lines(&splitter, "89A\nnext\n") == ["next"])
        #expect(splitter.droppedLines == 1)
    }

    @Test func `half a line of a connection that ended is forgotten`() {
        var splitter = LineSplitter()
        #expect(lines(&splitter, "half") == [])
        splitter.reset()
        #expect(lines(&splitter, "whole\n") == ["whole"])
    }
}
