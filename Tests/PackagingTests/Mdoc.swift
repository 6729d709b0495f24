/// Text in the macros of manual pages, mdoc(7).
enum Mdoc {
    /// Lines of running text: each sentence begins a line, none is longer than manual pages should have them.
    static func prose(_ text: String) -> [String] {
        sentences(of: text).flatMap { sentence in
            var lines: [String] = []
            var line = ""
            for word in emphasized(escaped(sentence)).split(separator: " ").map(String.init) {
                if !line.isEmpty, line.utf8.count + word.utf8.count > 76 {
                    lines.append(line)
                    line = ""
                }
                line += line.isEmpty ? word : " " + word
            }
            return (lines + [line]).map(guarded)
        }
    }

    /// Literal lines.
    static func literal(_ lines: [String]) -> [String] {
        [".Bd -literal -offset indent -compact"] + lines.map { guarded(escaped($0, isLiteral: true)) } + [".Ed"]
    }

    /// Text within a line, with everything that would mean something else there escaped.
    static func escaped(_ text: String, isLiteral: Bool = false) -> String {
        var result = ""
        var previous: Character = " "
        for character in text {
            switch character {
            case "\\": result += "\\e"
            // A hyphen that is typed, not one between the parts of a word.
            case "-" where isLiteral || !previous.isLetter: result += "\\-"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "`" where isLiteral: result += "\\(ga"
            case "'" where isLiteral: result += "\\(aq"
            default: result.append(character)
            }
            previous = character
        }
        return result
    }

    /// The text with the parts between backticks in bold.
    private static func emphasized(_ text: String) -> String {
        var result = ""
        var isBold = false
        for character in text {
            guard character == "`" else {
                result.append(character)
                continue
            }
            isBold.toggle()
            // Text to type is never hyphenated.
            result += isBold ? "\\fB\\%" : "\\fR"
        }
        return result
    }

    /// A line that is not parsed as a macro, whatever it begins with.
    private static func guarded(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }

    private static func sentences(of text: String) -> [String] {
        var sentences: [String] = []
        var sentence = ""
        for word in text.split(separator: " ") {
            if let last = sentence.last, ".?!".contains(last), word.first.map({ $0.isUppercase }) == true {
                sentences.append(sentence)
                sentence = ""
            }
            sentence += sentence.isEmpty ? String(word) : " " + word
        }
        return sentences + [sentence]
    }
}
