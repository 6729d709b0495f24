/// Splits an interface's text into tokens with their positions.
struct InterfaceLexer {
    /// A word, a sign, or the end.
    enum Token: Equatable {
        /// Letters, digits, and `_`, `-`, `.` between them.
        case word(String)
        /// `(`, `)`, `,`, `:`, `?`, `->`, `[]`, `[string]`.
        case sign(String)
        case end
    }

    /// A token with its position.
    struct Placed {
        var token: Token
        var line: Int
        var column: Int
        /// Whether it is the first of its line.
        var startsLine: Bool
        /// The comment lines right above it.
        var comment: String
    }

    private let text: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0

    init(_ text: String) {
        self.text = Array(text.utf8)
    }

    private static let signs = ["->", "[]", "[string]", "(", ")", ",", ":", "?"]

    /// Reads the next token.
    mutating func next() throws(InterfaceSyntaxError) -> Placed {
        var comment: [String] = []
        var startsLine = position == 0
        // A blank line separates a comment from the definition below.
        var lineIsBlank = false
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                position += 1
            case UInt8(ascii: "\n"):
                if lineIsBlank { comment = [] }
                lineIsBlank = true
                newLine()
                startsLine = true
            case UInt8(ascii: "#"):
                let words = restOfLine()
                if startsLine { comment.append(words) }
                lineIsBlank = false
            default:
                let place = Placed(
                    token: .end, line: line, column: position - lineStart + 1, startsLine: startsLine,
                    comment: comment.joined(separator: "\n"))
                return try token(at: place)
            }
        }
        return Placed(token: .end, line: line, column: position - lineStart + 1, startsLine: startsLine, comment: "")
    }

    private mutating func newLine() {
        position += 1
        line += 1
        lineStart = position
    }

    private mutating func restOfLine() -> String {
        let end = text[position...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
        var words = text[(position + 1)..<end]
        position = end
        if words.first == UInt8(ascii: " ") { words.removeFirst() }
        while let last = words.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\r") { words.removeLast() }
        return String(decoding: words, as: UTF8.self)
    }

    private mutating func token(at place: Placed) throws(InterfaceSyntaxError) -> Placed {
        var place = place
        if let sign = Self.signs.first(where: { text[position...].starts(with: $0.utf8) }) {
            position += sign.utf8.count
            place.token = .sign(sign)
            return place
        }
        let end = text[position...].firstIndex { !$0.isInterfaceWord } ?? text.count
        guard end > position else {
            throw InterfaceSyntaxError(message: "unexpected character", line: place.line, column: place.column)
        }
        var word = text[position..<end]
        // In `name->` the hyphen belongs to the arrow and not to the word.
        if word.last == UInt8(ascii: "-"), end < text.count, text[end] == UInt8(ascii: ">") { word.removeLast() }
        position = word.endIndex
        place.token = .word(String(decoding: word, as: UTF8.self))
        return place
    }
}

extension UInt8 {
    fileprivate var isInterfaceWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
