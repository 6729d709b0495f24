import Varlink

/// A text of a manifest with its translations.
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

    /// Reads the members of these names of an object; nil where it has no such text.
    init?(_ json: JSON, _ key: String, translations translationsKey: String) {
        guard let text = json[key]?.stringValue else { return nil }
        self.init(text)
        for member in json[translationsKey]?.objectValue ?? [] {
            if let translation = member.value.stringValue { translations[member.key] = translation }
        }
    }

    /// Writes it as two members of an object.
    func write(_ key: String, translations translationsKey: String, to writer: inout JSONWriter) {
        writer.member(key, text)
        writer.object(translationsKey) { writer in
            for (locale, translation) in translations.sorted(by: { $0.key < $1.key }) {
                writer.member(locale, translation)
            }
        }
    }
}
