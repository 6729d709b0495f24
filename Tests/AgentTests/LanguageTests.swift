import Interfaces
import Location
import Testing

@testable import Agent

@Suite struct LanguageTests {
    @Test(arguments: Language.allCases, Phrase.allCases)
    func `every language has every phrase, with the parameters of the English one`(
        language: Language, phrase: Phrase
    ) {
        let pattern = language.pattern(phrase)
        #expect(!pattern.isEmpty)
        #expect(places(pattern) == places(Language.english.pattern(phrase)))
        #expect(places(pattern).count <= 1, "only one place is filled")
        if language != .english { #expect(pattern != Language.english.pattern(phrase), "it is not translated") }
    }

    private func places(_ text: String) -> [String] {
        text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().map { String($0.prefix { $0 != "}" }) }
    }

    @Test func `the value of a parameter is not searched for parameters`() {
        #expect(Language.english.text(.holding, "{app}") == "{app} is using your location in the background")
        #expect(Language.german.text(.allow, "nothing") == "Erlauben")
    }

    @Test(
        arguments: [
            ([:], []),
            (["LANG": "de_DE.UTF-8"], ["de_DE.UTF-8"]),
            (["LANG": "de_DE.UTF-8", "LC_MESSAGES": "fr_FR"], ["fr_FR"]),
            (["LANG": "de_DE.UTF-8", "LC_MESSAGES": "fr_FR", "LC_ALL": "ko_KR.UTF-8"], ["ko_KR.UTF-8"]),
            (["LANG": "de_DE.UTF-8", "LC_ALL": ""], ["de_DE.UTF-8"]),
            (["LANG": "de_DE.UTF-8", "LANGUAGE": "pt_BR:ja"], ["pt_BR", "ja", "de_DE.UTF-8"]),
            (["LANG": "C.UTF-8", "LANGUAGE": "ja"], []),
            (["LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"], []),
        ] as [([String: String], [String])])
    func `the preferred languages are those of the environment`(environment: [String: String], locales: [String]) {
        #expect(LanguagePreference(environment: { environment[$0] }).locales == locales)
    }

    @Test(
        arguments: [
            (["de_AT.UTF-8@euro"], Language.german), (["pt_BR", "ja_JP"], .japanese), (["tlh"], .english),
            ([], .english),
            (["ko"], .korean), ([""], .english), (["_@."], .english),
        ] as [([String], Language)])
    func `the phrases are in the first preferred language that has them, else in English`(
        locales: [String], language: Language
    ) {
        #expect(LanguagePreference(locales).language == language)
    }

    @Test(
        arguments: [
            (["sr_YU@Latn"], "1"), (["sr_RS@Latn"], "3"), (["sr_YU.UTF-8"], "2"), (["sr_ME"], "4"), (["hr_HR"], "0"),
            (["hr_HR", "sr"], "4"), ([], "0"), (["sr_YU@Cyrl"], "2"),
        ] as [([String], String)])
    func `an app's text is matched as the Desktop Entry Specification defines`(locales: [String], expected: String) {
        let text = TranslatedText(
            "0", translations: ["sr_YU@Latn": "1", "sr_YU": "2", "sr@Latn": "3", "sr": "4"])
        #expect(LanguagePreference(locales).text(text) == expected)
    }
}
