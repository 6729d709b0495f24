import CommandLineKit
import Testing

@Suite struct TextTests {
    @Test func `control characters become visible`() {
        #expect(
            "a\u{1B}[31mb\n\u{9B}\u{202E}\t\u{7F}é".escapingControls == "a\\u{1b}[31mb\\n\\u{9b}\\u{202e}\\t\\u{7f}é")
        #expect("plain".escapingControls == "plain")
    }

    @Test(arguments: [("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("🛰️", 2), ("", 0)])
    func `wide characters take two columns`(_ text: String, columns: Int) {
        #expect(text.displayWidth == columns)
    }

    @Test func `columns are aligned, numbers flush right, and the last gives way`() {
        var table = Table([.init("NAME"), .init("COUNT", isNumeric: true), .init("REMARK")])
        table.add(["日本", "7", "short"])
        table.add(["x\u{1B}", "12345", "a remark that is rather long"])
        table.add(["y", "1"])
        #expect(
            table.lines(for: Terminal(isTerminal: true, width: 30)) == [
                "NAME     COUNT  REMARK", "日本         7  short", "x\\u{1b}  12345  a remark that…", "y            1",
            ])
        #expect(table.lines(for: Terminal(isTerminal: false, width: 30))[2].hasSuffix("rather long"))
    }

    @Test func `colours are for terminals only, and only where they are wanted`() {
        func hasColor(_ isTerminal: Bool, _ environment: [String: String]) -> Bool {
            Terminal(isTerminal: isTerminal, size: nil) { environment[$0] }.hasColor
        }
        #expect(hasColor(true, ["TERM": "xterm"]))
        #expect(!hasColor(false, ["TERM": "xterm"]))
        #expect(!hasColor(true, ["TERM": "xterm", "NO_COLOR": "1"]))
        #expect(hasColor(true, ["TERM": "xterm", "NO_COLOR": ""]))
        #expect(!hasColor(true, ["TERM": "dumb"]))
        #expect(!hasColor(true, [:]))
        #expect(Terminal(isTerminal: true, hasColor: true).styled("x", .red) == "\u{1B}[31mx\u{1B}[0m")
        #expect(Terminal(isTerminal: false).styled("x", .red) == "x")
    }
}
