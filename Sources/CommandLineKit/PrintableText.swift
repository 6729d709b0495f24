import Platform

extension String {
    /// The text with all characters made visible that could move a terminal's cursor, change its state or the text
    /// direction, or that are invisible: see `VisibleText`.
    ///
    /// Text that other programs influence (names, messages, notes) is written to a terminal only in this form.
    public var escapingControls: String {
        guard VisibleText.firstFault(in: self) != nil else { return self }
        var escaped = ""
        VisibleText.visit(self) { scalar, fault in
            guard fault != nil else { return escaped.unicodeScalars.append(scalar) }
            switch scalar {
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            default: escaped += "\\u{" + String(scalar.value, radix: 16) + "}"
            }
        }
        return escaped
    }

    /// The width of the text on a terminal in columns, approximately: two for East Asian wide characters and emoji,
    /// none for combining marks. Unicode Standard Annex 11.
    public var displayWidth: Int {
        reduce(0) { $0 + $1.displayWidth }
    }

    /// The longest beginning that fits in so many columns, with an ellipsis where the text was cut.
    public func truncated(to width: Int, in encoding: TextEncoding = .utf8) -> String {
        if displayWidth <= width { return self }
        var result = ""
        var used = encoding.ellipsis.displayWidth
        for character in self {
            used += character.displayWidth
            if used > width { break }
            result.append(character)
        }
        return width >= encoding.ellipsis.displayWidth ? result + encoding.ellipsis : ""
    }

    /// The same for text with styles of `Terminal.styled` in it: they have no width, and every style is ended.
    public func truncatedWithStyles(to width: Int) -> String {
        var result = ""
        var used = 0
        var isStyle = false
        for character in self {
            if character == "\u{1B}" { isStyle = true }
            if isStyle {
                result.append(character)
                if character == "m" { isStyle = false }
                continue
            }
            used += character.displayWidth
            if used <= width { result.append(character) }
        }
        return result
    }

    /// The text in lines of at most so many columns, broken at spaces; a longer word has a line of its own, or several
    /// with `breaksWords`, where no line may be longer. A command in backticks is one word, so that it can be copied.
    public func wrapped(to width: Int, breaksWords: Bool = false) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in breaksWords ? words.flatMap({ $0.pieces(of: width) }) : words {
            if line.isEmpty {
                line = word
            } else if line.displayWidth + 1 + word.displayWidth <= width {
                line += " " + word
            } else {
                lines.append(line)
                line = word
            }
        }
        return lines + [line]
    }

    /// The words between spaces; a command in backticks is one word. A backtick without a second one is a letter.
    private var words: [String] {
        var words: [String] = []
        var command: [String] = []
        for word in split(separator: " ").map(String.init) {
            let isBorder = !word.count(where: { $0 == "`" }).isMultiple(of: 2)
            if !command.isEmpty {
                command.append(word)
                if isBorder {
                    words.append(command.joined(separator: " "))
                    command = []
                }
            } else if isBorder {
                command = [word]
            } else {
                words.append(word)
            }
        }
        return words + command
    }

    /// The text in pieces of at most so many columns, broken after a punctuation mark such as a slash in the second half
    /// of a piece, else anywhere.
    private func pieces(of width: Int) -> [String] {
        var pieces: [String] = []
        var piece = ""
        for character in self {
            if !piece.isEmpty, piece.displayWidth + character.displayWidth > width {
                let end = piece.lastIndex { "/=:,;".contains($0) }.map(piece.index(after:)) ?? piece.endIndex
                let isLate = String(piece[..<end]).displayWidth * 2 > width
                let cut = isLate ? end : piece.endIndex
                pieces.append(String(piece[..<cut]))
                piece = String(piece[cut...])
            }
            piece.append(character)
        }
        return pieces + [piece]
    }

    /// The text with trailing spaces up to so many columns.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - displayWidth))
    }
}

extension Character {
    fileprivate var displayWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
            0x20000...0x3FFFD:
            return 2
        default:
            return first.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }
}
