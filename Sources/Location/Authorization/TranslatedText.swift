/// A text for people from a manifest, with its translations.
public struct TranslatedText: Equatable, Sendable {
    /// The text for locales without a translation.
    public var text: String
    /// Translations by locale, such as `ko` or `pt_BR`.
    public var translations: [String: String]

    /// Creates a text with its translations.
    public init(_ text: String, translations: [String: String] = [:]) {
        self.text = text
        self.translations = translations
    }
}
