import Interfaces

/// The reason why a program gets no position, or not the best one, in plain words.
enum DiagnosticText {
    /// Sentences for a list of diagnostics, among them words of newer versions; without advice for a caller that is
    /// diagnosing already.
    static func sentence(_ diagnostics: [LocationDiagnostic], authorization: String, withAdvice: Bool = true) -> String
    {
        // The general word adds nothing where its reason is listed too.
        let hasReason = diagnostics.contains { $0 != .locationUnavailable && reasons[$0] != nil }
        let reported = diagnostics.filter { !hasReason || $0 != .locationUnavailable }
        let sentences = reported.map { word in
            if let reason = reasons[word] { return withAdvice ? "\(reason.text) \(reason.advice)" : reason.text }
            return known[word] ?? "The daemon says: \(word)."
        }
        if !sentences.isEmpty { return sentences.joined(separator: " ") }
        return authorization == "notDetermined"
            ? "Nobody has decided yet whether this program may have positions."
            : "There is no position yet."
    }

    /// Whether a diagnostic is about the receiver and its positions, and not about what this program is allowed.
    static func isAboutReceiver(_ diagnostic: LocationDiagnostic) -> Bool { reasons[diagnostic] != nil }

    /// The reasons of `PositionUnknown`, which also occur in updates.
    private static let reasons: [LocationDiagnostic: (text: String, advice: String)] = [
        .noReceiver: ("There is no receiver.", "Connect one, or run `waymark doctor`."),
        .receiverLost: ("gpsd or its receiver cannot be reached.", "`waymark doctor` finds out why."),
        .noFix: (
            "The receiver has no fix yet.", "It needs a view of the sky, and some minutes after it was off for long."
        ),
        .noTime: (
            "The receiver reports its position, but not the date.", "`waymark doctor` shows the remedy."
        ),
        .stale: ("The receiver has fallen silent.", "`waymark doctor` finds out why."),
        .inaccurate: ("The present position is less accurate than requested.", "It may get better outdoors."),
        .reducedUnavailable: (
            "Reduced positions are unavailable on this machine now.", "`waymark status` says why."
        ),
        .locationUnavailable: ("There is no position now.", "`waymark doctor` finds out why."),
    ]

    private static let known: [LocationDiagnostic: String] = [
        .authorizationDenied: "This program may not have positions: the person in charge denied it.",
        .authorizationDeniedGlobally: "Location services are off.",
        .authorizationRestricted: "A restriction of this machine forbids positions.",
        .insufficientlyInUse: "This program may have positions only while it is in use.",
        .authorizationRequestInProgress: "A prompt asks the person whether this program may have positions.",
        .accuracyLimited: "This program gets reduced accuracy only.",
        .stationary: "The machine is stationary: positions are sent when it moves.",
        .fullAccuracyDenied: "Full accuracy was denied.",
        .alwaysAuthorizationDenied: "Positions in the background were denied.",
        .agentUnavailable: "No prompt can be shown, because no agent runs.",
        .manifestMissing: "This program has no manifest, so it cannot be identified.",
    ]
}
