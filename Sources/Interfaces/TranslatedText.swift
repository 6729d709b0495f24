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

    /// The text for a locale such as `de_AT.UTF-8@euro`: the translation that fits it best, in the order of the Desktop
    /// Entry Specification, else the text itself.
    public func text(for locale: String) -> String {
        let (beforeModifier, modifier) = Self.split(locale, at: "@")
        let (name, _) = Self.split(beforeModifier, at: ".")
        let (language, country) = Self.split(name, at: "_")
        let candidates = [
            country.flatMap { country in modifier.map { "\(language)_\(country)@\($0)" } },
            country.map { "\(language)_\($0)" },
            modifier.map { "\(language)@\($0)" },
            language,
        ]
        for case let candidate? in candidates {
            if let translation = translations[candidate] { return translation }
        }
        return text
    }

    private static func split(_ text: String, at separator: Character) -> (String, String?) {
        guard let index = text.firstIndex(of: separator) else { return (text, nil) }
        return (String(text[..<index]), String(text[text.index(after: index)...]))
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
