import JSONText
import Location
import Varlink

extension TranslatedText {
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
