import CommandLineKit
import Glibc
import Interfaces
import SyncInterface
import Varlink

/// `waymark report`: the recipients of this machine's positions.
enum ReportCommand {
    static let command = Command(
        "report", "show who saw where this machine was, and which apps have identifiers",
        discussion: [
            "SEEN is the number of positions it got, REDUCED those at reduced accuracy, BACKGROUND those while it was"
                + " not in use. DECISION is the last decision in force on that day, and its author. Operators, who need"
                + " no decision, are listed too. No position is shown.",
            "A second table lists which app has received which identifier, and when first and last, to the hour; never the"
                + " identifier. TRACKING is the last decision about tracking, for the advertising identifier. With --until an app is listed if it queried before that, and again after --since.",
            "Of the identifiers of accounts, those are listed that waymark-sync has given on this machine for the account of the"
                + " user who runs this, or for root for that of the machine.",
            "It reaches back to the oldest event of the journal, with a resolution of an hour.",
            "Without --since it covers the last 7 days; for TIME see `waymark log --help`. Needs an operator; an app"
                + " that runs this gets the report about itself, with the present hour after its end.",
        ],
        options: [
            Option("since", TimeExpression.value, "only from then on"),
            Option("until", TimeExpression.value, "only before then"),
            Option("app", Value("APP", .named("apps")), "only this app"), AppOptions.user, SyncLink.socket,
            CommonOptions.json,
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
        let identifiers = try identifiers(
            IdentifierReport(since: since, until: until, user: user.map { Int64($0) }), session)
        if session.isJSON {
            for row in report.rows { try session.print(json: row.json) }
            for row in identifiers.rows { try session.print(json: row.json) }
        } else {
            let lines = PositionReportText(rows: report.rows, terminal: session.terminal).lines
            try session.print(lines)
            if lines.isEmpty { session.remarks.say("Nobody got a position in that time.") }
            let table = IdentifierReportText(rows: identifiers.rows, terminal: session.terminal).lines
            if !table.isEmpty { try session.print((lines.isEmpty ? [] : [""]) + table) }
            try GPSDCommand.warn(session)
        }
    }

    private static func identifiers(
        _ empty: IdentifierReport, _ session: Session
    ) throws(CommandFailure) -> IdentifierReport {
        var report = empty
        let app = session.invocation.text("app")
        let first = JournalInterface.Read(
            since: report.since, until: report.until, kinds: [.identifierDisclosed], app: app)
        try LogCommand.forEach(first, session) { (event, _) in report.append(event) }
        // A decision is in force until the next one, however old it is.
        let decisions = JournalInterface.Read(until: report.until, kinds: [.trackingAuthorizationChanged], app: app)
        try LogCommand.forEach(decisions, session) { (event, _) in report.appendDecision(event) }
        let list = ManageInterface.ListIdentifiers(app: app, uid: report.user.flatMap { UInt32(exactly: $0) })
        do throws(VarlinkError) {
            for query in try session.daemon.attempt(list).identifiers { report.append(query) }
        } catch .reply(let name, _) where name == ErrorName.manageNotOperator.rawValue {
            // An app gets the report about itself from the events alone.
        } catch {
            throw CommandFailure(error, socketPath: session.daemon.socketPath)
        }
        try appendReaders(to: &report, app, session)
        return report
    }

    /// The apps that have the identifier of the account that this user, or for root the machine, has joined.
    private static func appendReaders(
        to report: inout IdentifierReport, _ app: String?, _ session: Session
    ) throws(CommandFailure) {
        do throws(CommandFailure) {
            let readers = try SyncLink(session).call(SyncInterface.ListIdentifierReaders(), seconds: 5).readers
            for reader in readers where app == nil || reader.app == app { report.append(reader, user: Int64(getuid())) }
        } catch {
            // A machine without waymark-sync has no such identifiers, and an app does not see those of others.
            guard error.code == .notRunning || error.code == .notAuthorized else { throw error }
        }
    }
}
