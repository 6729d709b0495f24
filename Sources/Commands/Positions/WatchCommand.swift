import CommandLineKit
import Interfaces
import Location

/// `waymark watch`: a stream of positions.
enum WatchCommand {
    static let command = Command(
        "watch", "show positions as they come",
        discussion: [
            "Without a position it prints the reason, and continues. It waits up to five seconds for a daemon that is"
                + " starting.",
            "Ctrl-C ends it with 130, as shells expect of an interrupted program; --count N ends it with 0 after so"
                + " many positions.",
        ],
        options: [
            CommonOptions.json, CommonOptions.distance, CommonOptions.interval, CommonOptions.accuracy,
            CommonOptions.noReconnect, Units.option, CoordinateNotation.option,
            Option(
                "first-report",
                "send each position at the receiver's first report of it: up to 150 ms earlier, but perhaps without"
                    + " altitude, course or the better accuracy"),
            Option("significant", "only the first position, and then one in 500 m and five minutes"),
            Option(
                "pause", Value("ACTIVITY", .choice(LocationInterface.ActivityType.allCases.map(\.rawValue))),
                "no positions while the machine is stationary, as suits this kind of movement"),
            Option(
                "maximum-delay", Value("S", .number(0...86_400)),
                "positions may come so many seconds late, several at once, so that this program wakes up seldom"),
            Option("count", short: "n", Value("N", .integer(1...Int.max)), "end after so many positions"),
        ],
        examples: [
            Command.Example("waymark watch --distance 10", "Whenever the machine has moved ten metres."),
            Command.Example("waymark watch --json >track.jsonl", "The daemon's own position objects, one a line."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let preferences = try Preferences(session)
        let interruption = try session.interruption()
        let feed = try PositionFeed(
            session, MonitorRequest(session.invocation), interruption,
            comesBack: !session.invocation.has("no-reconnect"))
        var display = PositionDisplay(session, preferences)
        while display.count < session.invocation.integer("count") ?? .max {
            guard let item = try feed.next(timeout: display.patience) else {
                display.timePassed()
                continue
            }
            try display.show(item)
        }
    }
}

/// Prints updates one after another: positions as lines or objects, and reasons for missing ones as remarks.
struct PositionDisplay {
    /// How many positions were printed.
    private(set) var count = 0
    private let session: Session
    private let preferences: Preferences
    /// Whether positions are only counted.
    let isQuiet: Bool
    private var reasons = PositionReasons()
    private var linesSinceHeader = 0

    init(_ session: Session, _ preferences: Preferences, isQuiet: Bool = false) {
        self.session = session
        self.preferences = preferences
        self.isQuiet = isQuiet
    }

    /// How long to wait for the next update before `timePassed` is to be called; nil for as long as it takes.
    var patience: Duration? { reasons.deadline.map { session.clock.monotonicNanoseconds.duration(until: $0) } }

    /// Says why there is no position yet, if it is time for that.
    mutating func timePassed() {
        for sentence in reasons.timePassed(now: session.clock.monotonicNanoseconds) { session.remarks.say(sentence) }
    }

    mutating func show(_ item: PositionFeed.Item) throws(CommandFailure) {
        let now = session.clock.monotonicNanoseconds
        for sentence in reasons.report(item.update, isFirst: item.isFirst, now: now) { session.remarks.say(sentence) }
        guard let position = item.update.position, let bytes = item.position else { return }
        count += 1
        if isQuiet { return }
        if session.isJSON { return try session.print(json: bytes) }
        let text = PositionText(session.terminal, preferences)
        var lines = [text.line(position)]
        if isHeaderDue { lines.insert(text.header, at: 0) }
        linesSinceHeader += 1
        try session.print(lines)
    }

    /// The header is due at the top of every screenful on a terminal, and once elsewhere.
    private var isHeaderDue: Bool {
        linesSinceHeader == 0
            || session.terminal.isTerminal && linesSinceHeader % max(5, session.terminal.height - 2) == 0
    }
}
