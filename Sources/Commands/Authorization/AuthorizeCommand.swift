import CommandLineKit
import Interfaces
import Location

/// `waymark authorize`: decides for an app.
enum AuthorizeCommand {
    private static let statuses: [(word: String, status: ManageInterface.Authorize.Status)] = [
        ("always", .always), ("while-using", .whileUsing), ("deny", .deny),
    ]

    static let command = Command(
        "authorize", "decide whether an app may have positions",
        discussion: [
            "Decides as the person would in a prompt. The decision is in force at once, until the next one. Without"
                + " --precise or --reduced the accuracy is unchanged, or the one that the manifest proposes.",
            "A restriction of the machine overrides it. Needs an operator.",
        ],
        options: [AppOptions.precise, AppOptions.reduced, AppOptions.user, CommonOptions.json],
        arguments: [
            AppOptions.app,
            Command.Argument(
                Value("STATUS", .choice(statuses.map(\.word))), "when it may have positions"),
        ],
        examples: [
            Command.Example("waymark authorize org.example.TrailMap while-using", "The usual decision."),
            Command.Example(
                "waymark authorize weather-station always --reduced", "For a system service that needs only the region."
            ),
            Command.Example("waymark authorize tracker deny --user alice", "For one of its users."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        guard let app = session.invocation.argument("APP"), let word = session.invocation.argument("STATUS"),
            let status = statuses.first(where: { $0.word == word })?.status
        else { return }
        let precise = try AppOptions.precise(session)
        let accuracy: AccuracyAuthorization? = precise.map { $0 ? .full : .reduced }
        let request = ManageInterface.Authorize(
            app: app, uid: try AppOptions.user(session), status: status, accuracy: accuracy)
        let option = precise.map { $0 ? " --precise" : " --reduced" } ?? ""
        let advice = CommandAdvice(line: "waymark authorize \(app) \(word)\(option)", app: app)
        let reply = try ManageLink(session).call(request, advice)
        try DecisionText.report((reply.app, try reply.bytes(of: "app")), session)
    }
}

/// The authorization of an app after a decision.
enum DecisionText {
    /// Prints it, and the reason where it has no effect now.
    static func report(_ result: (app: KnownApp, bytes: [UInt8]), _ session: Session) throws(CommandFailure) {
        if session.isJSON { return try session.print(json: result.bytes) }
        try session.print(lines(result.app))
    }

    static func lines(_ app: KnownApp) -> [String] {
        let text = AppText(app: app)
        // Obstacles to the decision. That the app is not in use now is no obstacle.
        let words: Set<LocationDiagnostic> = [
            .authorizationDeniedGlobally, .authorizationRestricted, .manifestMissing,
        ]
        let reasons = AppReason.of(app.diagnostics.filter(words.contains), app: app)
        let isAllowed = app.permission != .denied && app.permission != .notDetermined
        let obstacles = isAllowed ? reasons.map { "Not now: \($0.text)" + ($0.advice.map { " → \($0)" } ?? "") } : []
        return ([text.sentence] + obstacles).map(\.escapingControls)
    }
}
