import CommandLineKit
import Interfaces
import Varlink

/// `waymark report`: the recipients of this machine's positions.
enum ReportCommand {
    static let command = Command(
        "report", "show who saw where this machine was: each app and day",
        discussion: [
            "SEEN is the number of positions it got, REDUCED those at reduced accuracy, BACKGROUND those while it was"
                + " not in use. DECISION is the last decision in force on that day, and its author. Operators, who need"
                + " no decision, are listed too. No position is shown.",
            "It reaches back to the oldest event of the journal, with a resolution of an hour.",
            "Without --since it covers the last 7 days; for TIME see `waymark log --help`. Needs an operator; an app"
                + " that runs this gets the report about itself, with the present hour after its end.",
        ],
        options: [
            Option("since", TimeExpression.value, "only from then on"),
            Option("until", TimeExpression.value, "only before then"),
            Option("app", Value("APP", .named("apps")), "only this app"), AppOptions.user, CommonOptions.json,
        ],
        examples: [
            Command.Example("waymark report --since yesterday", "Since yesterday morning."),
            Command.Example("waymark report --since -90d --json | jq 'select(.inBackground > 0)'", "In a script."),
        ])

    /// The default length of the report.
    private static let defaultSpan = 7 * 86_400.0

    static func run(_ session: Session) throws(CommandFailure) {
        let now = Double(session.clock.utcMicroseconds) / 1e6
        func timestamp(_ option: String) -> Double? {
            session.invocation.text(option).flatMap { TimeExpression.parse($0, now: now) }
        }
        let since = timestamp("since") ?? now - defaultSpan
        let until = timestamp("until")
        let user = try AppOptions.user(session)
        var report = PositionReport(since: since, until: until, user: user.map { Int64($0) })
        let app = session.invocation.text("app")
        // A decision is in force until the next one, however old it is.
        let decisions = JournalInterface.Read(until: until, kinds: PositionReport.decisionKinds, app: app)
        try LogCommand.forEach(decisions, session) { (event, _) in report.appendDecision(event) }
        // An event is written when its hour has ended, at the latest.
        let seen = JournalInterface.Read(
            since: since, until: until.map { $0 + PositionReport.longestDelay }, kinds: [.positionsSeen], app: app)
        try LogCommand.forEach(seen, session) { (event, _) in report.append(event) }
        if session.isJSON {
            for row in report.rows { try session.print(json: row.json) }
        } else {
            let lines = PositionReportText(rows: report.rows, terminal: session.terminal).lines
            try session.print(lines)
            if lines.isEmpty { session.remarks.say("Nobody got a position in that time.") }
            try GPSDCommand.warn(session)
        }
    }
}
