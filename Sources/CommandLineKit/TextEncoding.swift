import Glibc

/// The characters that a person's terminal and programs can show: those of the environment's character set, locale(7).
public enum TextEncoding: Equatable, Sendable {
    /// All of Unicode.
    case utf8
    /// ASCII alone: the character set is not UTF-8, or unknown.
    case ascii

    /// The encoding of the environment: `LC_ALL`, else `LC_CTYPE`, else `LANG` names a locale, whose character set
    /// follows a point. A locale without a point counts as the locale `C`.
    public init(environment: (String) -> String?) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment).first { !$0.isEmpty } ?? "C"
        let codeset = locale.split(separator: ".", maxSplits: 1).dropFirst().first?.prefix { $0 != "@" } ?? ""
        self = ["utf-8", "utf8"].contains(codeset.lowercased()) ? .utf8 : .ascii
    }

    /// The encoding of this process's environment.
    public static let ofThisProcess = TextEncoding { name in getenv(name).map { String(cString: $0) } }

    /// The text in this encoding: characters with a usual ASCII form in that form, and `?` for all others.
    public func shown(_ text: String) -> String {
        guard self == .ascii, text.utf8.contains(where: { $0 > 0x7F }) else { return text }
        var shown = ""
        for character in text {
            if character.isASCII {
                shown.append(character)
            } else {
                shown += Self.forms[character] ?? "?"
            }
        }
        return shown
    }

    /// The mark of a cut text.
    var ellipsis: String { shown("…") }

    private static let forms: [Character: String] = [
        "°": " deg", "±": "+-", "…": "...", "–": "-", "—": "-", "→": "->", "“": "\"", "”": "\"", "‘": "'", "’": "'",
        "✓": "+", "✗": "x", "●": "*", "█": "#", "·": ".", "×": "x", "≤": "<=", "≥": ">=", "\u{A0}": " ",
    ]
}
