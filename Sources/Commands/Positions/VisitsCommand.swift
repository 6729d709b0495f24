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
        ],
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
        var text = VisitText()
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

/// Visits for a person.
struct VisitText {
    private var hasHeader = false

    /// The line of a visit, after the header at first.
    mutating func lines(_ visit: Visit) -> [String] {
        let header = "ARRIVAL              DEPARTURE            DURATION      LATITUDE     LONGITUDE  ACCURACY"
        defer { hasHeader = true }
        return (hasHeader ? [] : [header]) + [Self.line(visit)]
    }

    private static func line(_ visit: Visit) -> String {
        let departure = time(visit.departure) ?? "still there"
        let duration = visit.departure.flatMap { departure in
            visit.arrival.map { Measure.age(departure.seconds(since: $0)) }
        }
        func padded(_ text: String, _ width: Int, isRight: Bool = false) -> String {
            let space = String(repeating: " ", count: max(0, width - text.count))
            return isRight ? space + text : text + space
        }
        let place = [visit.coordinate.latitude, visit.coordinate.longitude].map {
            padded($0.fixed(6), 12, isRight: true)
        }
        return padded(time(visit.arrival) ?? "before", 21) + padded(departure, 21)
            + padded(duration ?? "–", 8, isRight: true) + "  " + place.joined(separator: "  ")
            + padded("\(visit.horizontalAccuracy.fixed(0)) m", 10, isRight: true)
            + (visit.isSimulated ? "  simulated" : "")
    }

    private static func time(_ time: UTCTime?) -> String? {
        time.flatMap { ZonedTime($0.secondsSinceEpoch.rounded(), in: .local) }.map { "\($0.date) \($0.timeOfDay)" }
    }
}
