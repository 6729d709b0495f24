import Configuration

/// A text of a manifest for a person, with its translations.
public struct AppText: Equatable, Sendable {
    /// For who has no translation.
    public var text: String
    /// By locale, such as `ko` or `pt_BR`.
    public var translations: [String: String]

    /// A text and its translations.
    public init(_ text: String, translations: [String: String] = [:]) {
        self.text = text
        self.translations = translations
    }

    /// What keeps a text from being shown in a prompt; nil for a good one.
    static func objection(to text: String, maximumLetters: Int) -> String? {
        let count = text.unicodeScalars.count
        guard count <= maximumLetters else { return "has \(count) letters; \(maximumLetters) are allowed" }
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                return "has a control character, which a prompt cannot show"
            default: break
            }
            // Embeddings, overrides and isolates of direction can make a prompt read as something else.
            if (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value) {
                return "has a character that turns the direction of writing, which can disguise a text"
            }
        }
        return nil
    }
}
