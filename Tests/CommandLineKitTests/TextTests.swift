import CommandLineKit
import Testing

@Suite struct TextTests {
    @Test func `control characters become visible`() {
        #expect(
            "a\u{1B}[31mb\n\u{9B}\u{202E}\t\u{7F}é".escapingControls == "a\\u{1b}[31mb\\n\\u{9b}\\u{202e}\\t\\u{7f}é")
        #expect("plain".escapingControls == "plain")
    }

    @Test(arguments: [("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("🛰️", 2), ("", 0)])
    func `wide characters have two columns`(_ text: String, columns: Int) {
        #expect(text.displayWidth == columns)
    }

    @Test func `columns are aligned, numbers flush right, and the last is shortened`() {
        var table = Table([.init("NAME"), .init("COUNT", isNumeric: true), .init("REMARK")])
        table.add(["日本", "7", "short"])
        table.add(["x\u{1B}", "12345", "a remark that is rather long"])
        table.add(["y", "1"])
        #expect(
            table.lines(for: Terminal(isTerminal: true, width: 30)) == [
                "NAME     COUNT  REMARK", "日本         7  short", "x\\u{1b}  12345  a remark that",
                "                is rather long", "y            1",
            ])
        #expect(table.lines(for: Terminal(isTerminal: false, width: 30))[2].hasSuffix("rather long"))
    }

    @Test func `a row is a block that is wrapped at words if the columns do not fit`() {
        var table = Table([.init("NAME"), .init("COUNT", isNumeric: true), .init("REMARK")])
        table.add(["organization", "12345", "a remark that is rather long"])
        #expect(
            table.lines(for: Terminal(isTerminal: true, width: 24)) == [
                "organization", "  count: 12345", "  remark: a remark that", "  is rather long",
            ])
    }

    @Test func `a block whose heading a table would show once has it as well`() {
        var table = Table([.init("DAY"), .init("APP"), .init("DECISION")])
        table.add(["2026-06-01", "org.example.TrailMap", "always"])
        table.add(["", "tide-clock", "denied"])
        #expect(
            table.lines(for: Terminal(isTerminal: true, width: 30)) == [
                "2026-06-01", "  app: org.example.TrailMap", "  decision: always", "2026-06-01", "  app: tide-clock",
                "  decision: denied",
            ])
    }

    @Test func `a table without titles wraps its last column, and breaks longer words`() {
        var table = Table([.init(""), .init("")])
        table.add(["Journal", "running in /var/lib/waymark/journal.sqlite"])
        let lines = table.lines(for: Terminal(isTerminal: true, width: 24))
        #expect(lines == ["Journal  running in", "         /var/lib/", "         waymark/", "         journal.sqlite"])
    }

    @Test(arguments: [
        (["LC_ALL": "C"], TextEncoding.ascii), (["LC_ALL": "", "LC_CTYPE": "POSIX", "LANG": "de_DE.UTF-8"], .ascii),
        (["LANG": "de_DE.ISO-8859-1"], .ascii), ([:], .ascii), (["LC_ALL": "C.UTF-8"], .utf8),
        (["LC_CTYPE": "de_AT.utf8@euro", "LANG": "C"], .utf8), (["LC_ALL": "C", "LANG": "C.UTF-8"], .ascii),
    ])
    func `the environment's character set decides the characters written`(
        environment: [String: String], encoding: TextEncoding
    ) {
        #expect(TextEncoding { environment[$0] } == encoding)
        #expect(Terminal(isTerminal: true, size: nil) { environment[$0] }.encoding == encoding)
    }

    @Test func `in ASCII special characters have their usual form, and widths are those of the written text`() {
        #expect(TextEncoding.ascii.shown("“a” – 12° ± 3… → é✓") == "\"a\" - 12 deg +- 3... -> ?+")
        #expect(TextEncoding.utf8.shown("12° ±") == "12° ±")
        #expect("a long text".truncated(to: 8, in: .ascii) == "a lon...")
        var table = Table([.init("ANGLE", isNumeric: true), .init("NAME")])
        table.add(["90°", "x"])
        #expect(table.lines(for: Terminal(isTerminal: false, encoding: .ascii)) == [" ANGLE  NAME", "90 deg  x"])
    }

    @Test func `colours are for terminals only, and only if they are not disabled`() {
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
