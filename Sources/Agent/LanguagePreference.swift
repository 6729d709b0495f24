import Interfaces
import Location

/// The languages that a person prefers, in order of preference.
public struct LanguagePreference: Equatable, Sendable {
    /// Locales such as `de_AT.UTF-8@euro`.
    public var locales: [String]

    /// These locales, in order of preference.
    public init(_ locales: [String]) {
        self.locales = locales
    }

    /// The preference in the environment, locale(7): `LC_ALL`, else `LC_MESSAGES`, else `LANG` names one locale;
    /// `LANGUAGE` names several with a higher preference, except where that one is `C`.
    public init(environment: (String) -> String?) {
        let named = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap(environment).first { !$0.isEmpty } ?? "C"
        guard !Self.isUntranslated(named) else {
            locales = []
            return
        }
        let wanted = (environment("LANGUAGE") ?? "").split(separator: ":").map(String.init)
        // A limit, because the environment may contain anything.
        locales = wanted.prefix(32).filter { !Self.isUntranslated($0) } + [named]
    }

    /// The language of the fixed phrases.
    public var language: Language {
        locales.lazy.compactMap { Language(rawValue: LocaleName($0).language) }.first ?? .english
    }

    /// The preferred translation of an app's text, else the text itself.
    public func text(_ text: TranslatedText) -> String {
        locales.lazy.flatMap { LocaleName($0).keys }.compactMap { text.translations[$0] }.first ?? text.text
    }

    private static func isUntranslated(_ locale: String) -> Bool {
        let name = LocaleName(locale).language
        return name == "C" || name == "POSIX"
    }
}

/// The parts of `lang_COUNTRY.ENCODING@MODIFIER`.
struct LocaleName: Equatable {
    var language: String
    var country: String?
    var modifier: String?

    init(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].prefix { $0 != "." }.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        language = name.first.map(String.init) ?? ""
        country = name.count > 1 ? String(name[1]) : nil
        modifier = parts.count > 1 ? String(parts[1]) : nil
    }

    /// The keys under which a translation for this locale may be stored, the best first: Desktop Entry Specification,
    /// localized values for keys.
    ///
    /// | locale | keys |
    /// | --- | --- |
    /// | `sr_YU@Latn` | `sr_YU@Latn`, `sr_YU`, `sr@Latn`, `sr` |
    /// | `pt_BR.UTF-8` | `pt_BR`, `pt` |
    var keys: [String] {
        let both = country.flatMap { country in modifier.map { "\(language)_\(country)@\($0)" } }
        return [both, country.map { "\(language)_\($0)" }, modifier.map { "\(language)@\($0)" }, language]
            .compactMap(\.self)
    }
}
