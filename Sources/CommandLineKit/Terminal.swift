import CLinux
import Glibc

/// The properties of a descriptor that matter for output.
public struct Terminal: Equatable, Sendable {
    /// Whether it is a terminal, isatty(3).
    public var isTerminal: Bool
    /// Columns: the terminal's, else `COLUMNS`, else 80.
    public var width: Int
    /// Lines: the terminal's, else 24.
    public var height: Int
    /// Whether colours may be used: on a terminal, without `NO_COLOR` (no-color.org), and not on a dumb one.
    public var hasColor: Bool
    /// Whether the cursor may be moved: on a terminal that is not dumb.
    public var canRedraw: Bool
    /// The characters that may be written.
    public var encoding: TextEncoding

    /// A terminal with these properties.
    public init(
        isTerminal: Bool, width: Int = 80, height: Int = 24, hasColor: Bool = false, canRedraw: Bool = false,
        encoding: TextEncoding = .utf8
    ) {
        self.encoding = encoding
        self.isTerminal = isTerminal
        self.width = width
        self.height = height
        self.hasColor = hasColor
        self.canRedraw = canRedraw
    }

    /// The properties of this descriptor now.
    public init(descriptor: Int32) {
        self.init(
            isTerminal: isatty(descriptor) == 1, size: Self.size(of: descriptor),
            environment: { name in getenv(name).map { String(cString: $0) } })
    }

    /// The properties that follow from these facts; the environment gives the value of a variable.
    public init(isTerminal: Bool, size: (columns: Int, rows: Int)?, environment: (String) -> String?) {
        let isDumb = environment("TERM").map { $0 == "dumb" || $0.isEmpty } ?? true
        self.isTerminal = isTerminal
        width = size?.columns ?? environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
        height = size?.rows ?? 24
        hasColor = isTerminal && !isDumb && (environment("NO_COLOR") ?? "").isEmpty
        canRedraw = isTerminal && !isDumb
        encoding = TextEncoding(environment: environment)
    }

    private static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var columns: UInt16 = 0
        var rows: UInt16 = 0
        guard waymark_terminal_size(descriptor, &columns, &rows) == 0, columns > 0, rows > 0 else { return nil }
        return (Int(columns), Int(rows))
    }

    /// A text as lines: one, and on a terminal as many as it needs, broken at words.
    public func wrapped(_ text: String) -> [String] {
        let text = encoding.shown(text)
        return isTerminal && text.displayWidth > width ? text.wrapped(to: max(8, width)) : [text]
    }

    /// A text after a beginning of so many columns, which may have styles: one line, and on a terminal as many as it
    /// needs. They are broken at words and begin below the text, or where that leaves little room, below the beginning.
    public func wrapped(_ text: String, after beginning: String, columns: Int) -> [String] {
        let text = encoding.shown(text)
        guard isTerminal, columns + text.displayWidth > width else { return [beginning + text] }
        if width - columns >= Self.leastRoom {
            let parts = text.wrapped(to: width - columns, breaksWords: true)
            let indent = String(repeating: " ", count: columns)
            return [beginning + parts[0]] + parts.dropFirst().map { indent + $0 }
        }
        let parts = text.wrapped(to: max(8, width - 2), breaksWords: true)
        return [String(beginning.reversed().drop { $0 == " " }.reversed())] + parts.map { "  " + $0 }
    }

    /// Advice below other lines, after an arrow. On a terminal it is broken at words, but not within a command, so that
    /// the command can be copied: one in backticks, or an advice that is a command and nothing else.
    public func advice(_ text: String) -> [String] {
        let isCommand = !text.contains("`") && ["waymark ", "sudo "].contains { text.hasPrefix($0) }
        let lines = isTerminal && !isCommand ? text.wrapped(to: max(8, width - 4)) : [text]
        return lines.enumerated().map { ($0.offset == 0 ? "  → " : "    ") + styled($0.element, .bold) }
    }

    /// The smallest width in which text beside a beginning is readable.
    private static let leastRoom = 24

    /// The style of a piece of text, ECMA-48 SGR.
    public enum Style: String, Sendable {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    /// The text in this style where colours are allowed, else unchanged.
    public func styled(_ text: String, _ style: Style?) -> String {
        guard hasColor, let style, !text.isEmpty else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }
}
