/// A text of a manifest for a person, with its translations.
public struct TranslatedText: Equatable, Sendable {
    /// The text for who has no translation.
    public var text: String
    /// Translations by locale, such as `ko` or `pt_BR`.
    public var translations: [String: String]

    /// A text and its translations.
    public init(_ text: String, translations: [String: String] = [:]) {
        self.text = text
        self.translations = translations
    }
}
