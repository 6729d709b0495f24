import Interfaces
import Location
import Testing

@testable import Agent

@Suite struct PresentationTests {
    private let english = LanguagePreference([])

    @Test func `a prompt is in English by default`() {
        let text = PromptPresentation(trailMap(), for: english)
        #expect(text.title == "Trail Map would like to use your location")
        #expect(text.reason == "The app says: Shows where you are.")
        #expect(text.identity.contains("org.example.trailmap") && text.identity.contains("pretend"))
        #expect(text.answers.map(\.label) == ["Allow Once", "Allow While Using the App", "Don’t Allow"])
        #expect(text.answers.map(\.choice) == [.allowOnce, .allowWhileUsing, .deny])
        #expect(text.asksAccuracy && text.proposesFullAccuracy)
    }

    @Test func `name, reason and phrases are in the preferred language`() {
        let text = PromptPresentation(trailMap(), for: LanguagePreference(["ko_KR.UTF-8"]))
        #expect(text.title == "등산 지도 앱이 내 위치를 사용하려고 합니다")
        #expect(text.reason == "앱의 설명: 지도에 현재 위치를 표시합니다.")
        #expect(text.answers.map(\.label) == ["한 번 허용", "앱을 사용하는 동안 허용", "허용 안 함"])
    }

    @Test(arguments: [
        (PromptKind.always, 3, true), (.changeToAlways, 2, false), (.confirmAlways, 2, false),
        (.temporaryFullAccuracy, 2, false), (.tracking, 2, false),
    ]) func `every kind has its answers, and only a first grant has a choice of accuracy`(
        kind: PromptKind, answers: Int, asksAccuracy: Bool
    ) {
        for language in Language.allCases {
            let text = PromptPresentation(trailMap(kind: kind), for: LanguagePreference([language.rawValue]))
            #expect(text.answers.count == answers && text.asksAccuracy == asksAccuracy)
            #expect(Set(text.answers.map(\.label)).count == answers)
            #expect(text.title.contains(language == .korean ? "등산 지도" : "Trail Map"))
        }
    }

    @Test(arguments: Language.allCases)
    func `a prompt for tracking has words of its own, a short title and no as its first answer`(language: Language) {
        let preference = LanguagePreference([language.rawValue])
        let (text, positions) = (
            PromptPresentation(trailMap(kind: .tracking), for: preference),
            PromptPresentation(trailMap(), for: preference)
        )
        #expect(text.title != positions.title && text.shortTitle != positions.shortTitle)
        #expect(text.scope != positions.scope)
        #expect(text.shortTitle.count <= PromptPresentation.shortTitleLength)
        #expect(text.answers.map(\.choice) == [.deny, .allow])
        var long = trailMap(kind: .tracking)
        long.name = TranslatedText(String(repeating: "Longest Trail ", count: 4))
        let cut = PromptPresentation(long, for: preference).shortTitle
        #expect(cut.count == PromptPresentation.shortTitleLength && cut.contains("…"))
        if language == .english {
            #expect(
                text.title
                    == "Trail Map would like to track your activity across other companies’ apps and websites")
            #expect(text.shortTitle == "Trail Map: tracking?")
        }
    }

    @Test func `each proof has its own phrase, and an unknown proof counts as the weakest`() {
        let words = ["socket", "unit", "user", "program", nil].map {
            PromptPresentation(trailMap(assurance: $0), for: english).identity
        }
        #expect(Set(words).count == 5)
        #expect(PromptPresentation(trailMap(assurance: "oracle"), for: english).identity == words[3])
    }

    @Test func `the text of an app can neither move the cursor nor change the text direction nor fill the screen`() {
        var question = trailMap()
        question.name.text = "Trail\u{1B}[2J\u{202E}Map\n\nGranted"
        question.purpose.text = String(repeating: "long ", count: 100_000)
        question.app = "org.example.\u{7}bell"
        let text = PromptPresentation(question, for: english)
        for part in [text.title, text.reason ?? "", text.identity] {
            #expect(!part.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        }
        #expect(text.title == "Trail\\u{1b}[2J\\u{202e}Map\\n\\nGranted would like to use your location")
        #expect((text.reason ?? "").count < 450 && text.reason?.hasSuffix("…") == true)
    }

    @Test func `an app without a name has that of its manifest, and the reason is optional`() {
        var question = trailMap()
        question.name = TranslatedText("  ")
        question.purpose = TranslatedText("")
        let text = PromptPresentation(question, for: english)
        #expect(text.title == "org.example.trailmap would like to use your location")
        #expect(text.reason == nil)
    }

    @Test func `an app with a background activity session has a line`() {
        let hold = AgentMessage.Hold(app: "org.example.trailmap", name: trailMap().name)
        #expect(
            PromptPresentation.indicator(hold, for: english)
                == "Trail Map is using your location in the background")
    }

    @Test func `prompts are shown one at a time, in order, and each once`() {
        var queue = PromptQueue()
        let shown = [1, 2, 2, 3].map { queue.add(trailMap($0)) }
        #expect(shown == [true, false, false, false])
        #expect(queue.count == 3)
        let wasShown = [2, 1].map { queue.withdraw($0) }
        #expect(wasShown == [false, true])
        let following = [queue.next(), queue.next()]
        #expect(following.map { $0?.id } == [3, nil])
        #expect(queue.count == 0)
    }

    @Test func `prompts beyond the queue's limit are left to the daemon, and counted`() {
        var queue = PromptQueue()
        for id in 1...100 { _ = queue.add(trailMap(Int64(id))) }
        #expect(queue.count == PromptQueue.mostWaiting + 1)
        #expect(queue.leftOut == 100 - PromptQueue.mostWaiting - 1)
    }
}
