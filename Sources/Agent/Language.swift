/// A language of the prompts, by its ISO 639-1 code.
public enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case korean = "ko"
    case japanese = "ja"

    /// A phrase in this language as it is written down, with its places such as `{app}`.
    func pattern(_ phrase: Phrase) -> String {
        switch self {
        case .english: Self.english(phrase)
        case .german: Self.german(phrase)
        case .french: Self.french(phrase)
        case .spanish: Self.spanish(phrase)
        case .korean: Self.korean(phrase)
        case .japanese: Self.japanese(phrase)
        }
    }

    /// A phrase in this language with its parameter replaced once: a name may contain braces.
    public func text(_ phrase: Phrase, _ value: String = "") -> String {
        let pattern = pattern(phrase)
        guard let open = pattern.firstIndex(of: "{"), let close = pattern[open...].firstIndex(of: "}") else {
            return pattern
        }
        return pattern[..<open] + value + pattern[pattern.index(after: close)...]
    }
}
