import Interfaces
import Location

/// A prompt for an app with a Korean name and reason.
func trailMap(
    _ id: Int64 = 1, kind: PromptKind = .whenInUse, assurance: String? = "user", precise: Bool = true
) -> Question {
    let choices: [PromptChoice] =
        switch kind {
        case .whenInUse, .always: [.allowOnce, .allowWhileUsing, .deny]
        case .changeToAlways, .confirmAlways: [.keepWhileUsing, .changeToAlways]
        case .temporaryFullAccuracy: [.allow, .deny]
        case .tracking: [.deny, .allow]
        }
    return Question(
        id: id, app: "org.example.trailmap", kind: kind,
        name: TranslatedText("Trail Map", translations: ["ko": "등산 지도"]),
        purpose: TranslatedText("Shows where you are.", translations: ["ko": "지도에 현재 위치를 표시합니다."]),
        assurance: assurance, choices: choices, proposesFullAccuracy: precise)
}
