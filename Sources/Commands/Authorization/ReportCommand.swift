import CommandLineKit
import Interfaces
import Varlink

/// `waymark report`: the recipients of this machine's positions.
enum ReportCommand {
    static let command = Command(
        "report", "show who saw where this machine was: each app and day",
        discussion: [
            "SEEN is how many positions it got, REDUCED how many of them at reduced accuracy, BACKGROUND how many while"
                + " it was not in use. DECISION is what held last on that day, and by whom. Operators, who need no"
                + " decision, are listed too. It never says where.",
            "It reaches back as far as the journal is kept, and to within the hour.",
            "Without --since it is about the last 7 days; for TIME see `waymark log --help`. Needs an operator; an app"
                + " that runs this learns of itself, of the present hour when it has ended.",
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
            since: since, until: until.map { $0 + PositionReport.longestDelay }, kinds: ["positionsSeen"], app: app)
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
