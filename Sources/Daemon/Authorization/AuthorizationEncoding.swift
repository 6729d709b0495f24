import Authorization
import Interfaces
import Location

// How the interfaces encode the state of authorization.

extension TranslatedText {
    init(_ text: LocalizedText) {
        self.init(text.text, translations: text.translations)
    }
}

extension Question {
    init(_ prompt: Prompt) {
        self.init(
            id: Int64(clamping: prompt.id), app: prompt.app.name, kind: prompt.kind.word,
            purposeKey: prompt.kind.purposeKey,
            name: TranslatedText(prompt.name), purpose: TranslatedText(prompt.purpose),
            assurance: prompt.assurance?.rawValue, choices: prompt.choices,
            proposesFullAccuracy: prompt.proposesFullAccuracy)
    }
}

extension OpenRequest {
    init(_ summary: PromptSummary) {
        self.init(
            Question(summary.prompt), uid: summary.prompt.app.uid, isShown: summary.isShown,
            raisedAt: summary.raisedAt.secondsSinceEpoch)
    }
}

extension AgentMessage.Hold {
    init(_ summary: HoldSummary) {
        self.init(app: summary.app.name, name: TranslatedText(summary.title))
    }
}

extension KnownApp {
    init(_ summary: AppSummary) {
        let (decider, deciderUid) = Self.parts(of: summary.grant.decidedBy)
        let tracking = summary.trackingGrant
        let (trackingDecider, trackingDeciderUid) = Self.parts(of: tracking.decidedBy)
        self.init(
            id: summary.name, uid: summary.uid, name: summary.title?.text, manifest: summary.manifest,
            status: summary.status, accuracy: summary.accuracy,
            diagnostics: summary.diagnostics.all.map { .init(rawValue: $0.rawValue) },
            permission: summary.grant.permission,
            wasAskedAlways: summary.grant.wasAskedAlways, decidedAt: summary.grant.decidedAt?.secondsSinceEpoch,
            decidedBy: decider, decidedByUid: deciderUid, isInUse: summary.isInUse,
            processes: Int64(summary.processes), assurance: summary.assurance?.rawValue, holds: Int64(summary.holds),
            waking: summary.waking,
            tracking: summary.trackingStatus == .notDetermined ? nil : summary.trackingStatus,
            trackingDecidedAt: tracking.decidedAt?.secondsSinceEpoch, trackingDecidedBy: trackingDecider,
            trackingDecidedByUid: trackingDeciderUid)
    }

    private static func parts(of decider: Grant.Decider?) -> (word: String?, uid: UInt32?) {
        switch decider {
        case .person(let uid): ("person", uid)
        case .operator(let uid): ("operator", uid)
        case .rule: ("rule", nil)
        case nil: (nil, nil)
        }
    }
}
