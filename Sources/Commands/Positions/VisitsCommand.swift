import CommandLineKit
import Interfaces
import Location
import Varlink

/// `waymark visits`: the places where the machine stayed.
enum VisitsCommand {
    static let command = Command(
        "visits", "show where the machine stayed, from when until when",
        discussion: [
            "A visit is a stay of five minutes or more at one place. It is printed when it has lasted five minutes, and again"
                + " when it has ended. A stop at a red light or in a traffic jam is none, and losing the fix in a house does"
                + " not end one.",
            "Visits are observed while this command or another one of the same user runs. --since first prints those that"
                + " have ended since then; the last 100 are stored.",
        ],
        options: [
            CommonOptions.json, Option("since", TimeExpression.value, "first those that have ended since then"),
            CommonOptions.noReconnect,
            Option("count", short: "n", Value("N", .integer(1...Int.max)), "end after so many"),
        ] + Preferences.options,
        examples: [
            Command.Example("waymark visits --since yesterday", "Those of yesterday and today, and further ones."),
            Command.Example("waymark visits --json", "The daemon's own objects, one a line."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let invocation = session.invocation
        var since: Double?
        if let text = invocation.text("since") {
            since = TimeExpression.parse(text, now: Double(session.clock.utcMicroseconds) / 1e6)
        }
        let interruption = try session.interruption()
        let stream = try PatientStream(
            session, LocationInterface.MonitorVisits(since: since), comesBack: !invocation.has("no-reconnect"),
            until: interruption)
        var text = VisitText(session.terminal, try Preferences(session))
        if !session.isJSON { session.remarks.hint("A visit is shown once it has lasted five minutes.") }
        var count = 0
        while count < invocation.integer("count") ?? .max {
            guard case .reply(let reply) = try stream.next() else { continue }
            let visit = reply.visit
            // The next connection goes on after this visit.
            if let departure = visit.departure, since != nil {
                stream.method = LocationInterface.MonitorVisits(since: departure.secondsSinceEpoch + 0.000_001)
            }
            count += 1
            if session.isJSON {
                try session.print(json: try reply.bytes(of: "visit"))
            } else {
                try session.print(text.lines(visit))
            }
        }
    }
}
