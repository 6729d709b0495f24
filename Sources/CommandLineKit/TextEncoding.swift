import Glibc

/// Which characters a person's terminal and programs take: those of the environment's character set, locale(7).
public enum TextEncoding: Equatable, Sendable {
    /// All of Unicode.
    case utf8
    /// ASCII alone: the character set is not UTF-8, or nothing says which it is.
    case ascii

    /// What the environment says: `LC_ALL`, else `LC_CTYPE`, else `LANG` names a locale, whose character set stands behind a
    /// point. One without a point is as in the locale `C`.
    public init(environment: (String) -> String?) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment).first { !$0.isEmpty } ?? "C"
        let codeset = locale.split(separator: ".", maxSplits: 1).dropFirst().first?.prefix { $0 != "@" } ?? ""
        self = ["utf-8", "utf8"].contains(codeset.lowercased()) ? .utf8 : .ascii
    }

    /// What this process's environment says.
    public static let ofThisProcess = TextEncoding { name in getenv(name).map { String(cString: $0) } }

    /// A text as it can be shown: signs that have a usual form in ASCII in that form, and `?` for what has none.
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

    /// What stands where a text was cut off.
    var ellipsis: String { shown("…") }

    private static let forms: [Character: String] = [
        "°": " deg", "±": "+-", "…": "...", "–": "-", "—": "-", "→": "->", "“": "\"", "”": "\"", "‘": "'", "’": "'",
        "✓": "+", "✗": "x", "●": "*", "█": "#", "·": ".", "×": "x", "≤": "<=", "≥": ">=", "\u{A0}": " ",
    ]
}
