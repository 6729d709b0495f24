import Interfaces

/// The reason why an app has no position now, or not the best one, and the remedy.
struct AppReason: Equatable {
    /// The reason, in a sentence.
    var text: String
    /// The remedy; nil where none is needed.
    var advice: String?

    /// The reasons for diagnostics, among them words of newer versions.
    static func of(_ diagnostics: [LocationDiagnostic], app: KnownApp) -> [AppReason] {
        // The general word adds nothing where its reason is listed too.
        let hasReason = diagnostics.contains { receiverReasons.contains($0) }
        return diagnostics.filter { !hasReason || $0 != .locationUnavailable }.map { reason($0, app) }
    }

    /// No decision was made, and there is no other obstacle.
    static func undecided(_ app: KnownApp) -> AppReason {
        app.processes == 0
            ? AppReason(
                text: "It has not made a request yet.",
                advice: "Start it, or decide in advance: `\(authorize(app, "while-using"))`")
            : AppReason(
                text: "It has not made a request, or nobody has answered.",
                advice: "`waymark requests` lists requests; or decide: `\(authorize(app, "while-using"))`")
    }

    private static let receiverReasons: Set<LocationDiagnostic> = [
        .noReceiver, .receiverLost, .noFix, .noTime, .stale, .inaccurate, .reducedUnavailable,
    ]

    private static func authorize(_ app: KnownApp, _ status: String) -> String {
        "waymark authorize \(app.id) \(status)" + (app.uid.map { " --user \(UserName.text(Int64($0)))" } ?? "")
    }

    private static func reason(_ word: LocationDiagnostic, _ app: KnownApp) -> AppReason {
        switch word {
        case .authorizationDenied:
            AppReason(text: "It was denied.", advice: "To allow it: `\(authorize(app, "while-using"))`")
        case .authorizationDeniedGlobally:
            AppReason(text: "Location services are off, for every app.", advice: "waymark services on")
        case .authorizationRestricted:
            AppReason(
                text: "A restriction of this machine forbids it, regardless of decisions.",
                advice: "waymark restrictions")
        case .insufficientlyInUse:
            AppReason(
                text: "It may have positions only while it is in use, and it is not in use.",
                advice: "It gets them when it reports that it is in front; for the background:"
                    + " `\(authorize(app, "always"))`")
        case .authorizationRequestInProgress:
            AppReason(text: "A prompt is shown to the person.", advice: "waymark requests")
        case .agentUnavailable:
            AppReason(
                text: isOwn(app)
                    ? "It made a request, which no agent shows: the prompt of an app with a manifest in its user's folder"
                        + " is shown only while that user sits at this machine."
                    : "It made a request, but no agent runs that could show a prompt.",
                advice: isOwn(app)
                    ? "Answer yourself: `waymark requests`"
                    : "Run `waymark agent` as its user, or answer yourself: `waymark requests`")
        case .manifestMissing:
            AppReason(
                text: "Its manifest was removed, has errors, or is for another program now, so it gets no positions.",
                advice: "waymark manifest check \(app.manifest ?? "")".trimmed)
        case .accuracyLimited:
            AppReason(
                text: "It gets reduced accuracy only.",
                advice: "For full accuracy: `\(authorize(app, level(app))) --precise`")
        case .fullAccuracyDenied: AppReason(text: "Its request for full accuracy was denied.")
        case .alwaysAuthorizationDenied: AppReason(text: "Its request for positions in the background was denied.")
        case .stationary: AppReason(text: "The machine is stationary: positions are sent when it moves.")
        case .reducedUnavailable:
            AppReason(text: "Reduced positions are unavailable.", advice: "`waymark status` says why")
        case .locationUnavailable, .noReceiver, .receiverLost, .noFix, .noTime, .stale, .inaccurate:
            AppReason(
                text: DiagnosticText.sentence([word], authorization: app.status.rawValue, withAdvice: false),
                advice: "waymark doctor")
        default: AppReason(text: "The daemon says: \(word).")
        }
    }

    /// Whether its manifest is a file of its user's.
    private static func isOwn(_ app: KnownApp) -> Bool { app.manifest?.contains("/.config/waymark/apps/") == true }

    private static func level(_ app: KnownApp) -> String {
        app.permission == .always || app.permission == .provisionalAlways ? "always" : "while-using"
    }
}

extension String {
    fileprivate var trimmed: String { hasSuffix(" ") ? String(dropLast()) : self }
}
