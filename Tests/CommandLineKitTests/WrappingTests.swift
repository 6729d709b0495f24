import CommandLineKit
import Testing

/// Text for terminals of any width.
@Suite struct WrappingTests {
    private func terminal(_ width: Int, _ encoding: TextEncoding = .utf8) -> Terminal {
        Terminal(isTerminal: true, width: width, encoding: encoding)
    }

    @Test func `a sentence is broken at words on a terminal, and stays one line elsewhere`() {
        let sentence = "There are no apps: no manifest is installed."
        #expect(terminal(40).wrapped(sentence) == ["There are no apps: no manifest is", "installed."])
        #expect(terminal(44).wrapped(sentence) == [sentence])
        #expect(Terminal(isTerminal: false, width: 40).wrapped(sentence) == [sentence])
    }

    @Test func `a command in backticks is not broken, and a backtick alone is a letter`() {
        #expect(
            terminal(20).wrapped("correct it, then run `sudo systemctl restart x`: done")
                == ["correct it, then run", "`sudo systemctl restart x`:", "done"])
        #expect(terminal(8).wrapped("`date` a b `c d e f") == ["`date` a", "b `c d e", "f"])
    }

    @Test func `in ASCII the wider forms of characters are counted`() {
        #expect(terminal(10, .ascii).wrapped("… … … …") == ["... ...", "... ..."])
    }

    @Test func `text after a beginning continues below itself, or below the beginning where there is no room`() {
        let (beginning, text) = ("10:00  lost    ", "no position for five seconds, and no report")
        let wide = ["10:00  lost    no position for five", "               seconds, and no report"]
        #expect(terminal(40).wrapped(text, after: beginning, columns: 15) == wide)
        let narrow = ["10:00  lost", "  no position for five seconds, and", "  no report"]
        #expect(terminal(36).wrapped(text, after: beginning, columns: 15) == narrow)
        #expect(terminal(80).wrapped(text, after: beginning, columns: 15) == [beginning + text])
        #expect(
            Terminal(isTerminal: false, width: 20).wrapped(text, after: beginning, columns: 15) == [beginning + text])
    }
}
