import CommandLineKit
import Events
import Interfaces
import JSONText
import Platform
import Varlink

/// `waymark log`: the journal's events.
enum LogCommand {
    static let command = Command(
        "log", "show the events of the daemon's journal",
        discussion: [
            "Without options it shows all events, oldest first; with --lines 1000 only the latest 1,000.",
            "A TIME is a duration before now (-2h, 10min, '3 days ago'), today, yesterday, now, or an ISO 8601 time;"
                + " one without an offset is local.",
            "Needs an operator.",
        ],
        options: [
            Option("follow", short: "f", "continue with new events"),
            CommonOptions.noReconnect,
            Option("since", TimeExpression.value, "only from then on"),
            Option("until", TimeExpression.value, "only before then"),
            Option(
                "kind", short: "k", Value("KIND", .choice(EventKind.allCases.map(\.rawValue))),
                "only events of this kind", repeats: true),
            Option("app", Value("APP", .named("apps")), "only events about this app"),
            Option(
                "lines", short: "n", Value("N", .integer(1...mostLines)), "only the latest so many"),
            CommonOptions.json,
            Option("verify", "check the whole journal instead"),
            Option("note", Value("TEXT"), "write a remark to the journal instead"),
        ],
        examples: [
            Command.Example("waymark log --since -1h", "The last hour."),
            Command.Example(
                "waymark log -f --kind fixLost --kind fixAcquired",
                "Waits for positions to be lost and found."),
            Command.Example("waymark log --note 'antenna moved to the roof'", "Writes a remark for later."),
        ])

    /// The limit of events in one reply.
    private static let mostLines = 1_000

    static func run(_ session: Session) throws(CommandFailure) {
        let invocation = session.invocation
        if let text = invocation.text("note") { return try note(text, session) }
        if invocation.has("verify") { return try verify(session) }
        let kinds = invocation.texts("kind").map(JournalInterface.EventKind.init)
        var request = JournalInterface.Read(
            since: try timestamp("since", session), until: try timestamp("until", session),
            kinds: kinds.isEmpty ? nil : kinds, app: invocation.text("app"),
            newest: invocation.integer("lines").map(Int64.init), follow: invocation.has("follow") ? true : nil)
        if invocation.has("follow"), request.since == nil, request.newest == nil { request.newest = 10 }
        try read(request, session)
    }

    /// Calls the body with every event of a request, and its bytes.
    static func forEach(
        _ request: JournalInterface.Read, _ session: Session,
        _ body: (JournalEntry, JSON) throws(CommandFailure) -> Void, afterReply: () throws(CommandFailure) -> Void = {}
    ) throws(CommandFailure) {
        var request = request
        let stream = try PatientStream(
            session, request, comesBack: request.follow == true && !session.invocation.has("no-reconnect"),
            until: try session.interruption())
        while true {
            switch try stream.next() {
            case .reply(let reply):
                for (event, json) in zip(reply.events, reply.message.parameters["events"]?.arrayValue ?? []) {
                    try body(event, json)
                    // A repeated call continues after this event.
                    (request.after, request.newest) = (event.sequence, nil)
                }
                stream.method = request
                try afterReply()
                if !reply.message.continues { return }
            case .nothing, .lost, .expired: continue
            }
        }
    }

    private static func read(_ request: JournalInterface.Read, _ session: Session) throws(CommandFailure) {
        let text = EventText(terminal: session.terminal)
        var count = 0
        try forEach(request, session) { (event, json) throws(CommandFailure) in
            count += 1
            do throws(OutputError) {
                if session.isJSON {
                    try session.output.line(json.bytes)
                } else {
                    try session.output.lines(text.lines(event))
                }
            } catch {
                throw CommandFailure(error)
            }
        } afterReply: { () throws(CommandFailure) in
            try session.flush()
        }
        if count == 0, !session.isJSON { session.remarks.say("No such events.") }
    }

    private static func timestamp(_ option: String, _ session: Session) throws(CommandFailure) -> Double? {
        guard let text = session.invocation.text(option) else { return nil }
        return TimeExpression.parse(text, now: Double(session.clock.utcMicroseconds) / 1e6)
    }

    private static func note(_ text: String, _ session: Session) throws(CommandFailure) {
        guard text.count <= 1_000 else {
            throw .usage("A note has at most 1,000 characters, and this has \(text.count).", command: "log")
        }
        let reply = try session.daemon.call(JournalInterface.Note(text: text))
        if session.isJSON { return try session.print(json: reply.bytes) }
        try session.print(sentence: "Noted as event \(reply.sequence).")
    }

    private static func verify(_ session: Session) throws(CommandFailure) {
        // The whole database is read, which may need minutes.
        let reply = try session.daemon.call(JournalInterface.Verify(), waiting: 600)
        if session.isJSON {
            try session.print(json: try reply.bytes(of: "verification"))
        } else {
            try session.print(lines(reply.verification))
        }
        if !reply.verification.isSound { throw .ended(.failure) }
    }

    static func lines(_ verification: JournalInterface.Verification) -> [String] {
        var range = ""
        if let oldest = verification.oldest, let newest = verification.newest { range = ", \(oldest) to \(newest)" }
        let events = "\(Measure.count(verification.events, "event"))\(range)"
        var unchecked: [String] = []
        if let count = verification.unchecked, count > 0 {
            unchecked = [
                "\(Measure.count(count, "recorded position")) could not be checked, because they are locked: waymark unlock."
            ]
        }
        if verification.isSound { return ["The journal is sound: \(events)."] + unchecked }
        return ["The journal is damaged: \(events)."] + verification.findings.map { "  \($0.escapingControls)" }
            + unchecked
    }
}
