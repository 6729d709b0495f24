import CommandLineKit
import Durations
import Interfaces
import Location
import Platform

/// `waymark export`: positions or events as a file for other programs.
enum ExportCommand {
    static let command = Command(
        "export", "write positions as GPX, GeoJSON, KML or CSV",
        discussion: [
            "Positions come live from the daemon, or with --from out of what `waymark watch --json` has printed. The file"
                + " appears under its name once it is whole. Ctrl-C ends it in order: with 0 where nothing else would"
                + " have, and with 130 where --count or --duration was not reached.",
            "With --events it writes the journal's events instead, all that are kept. They hold no coordinate, so that"
                + " CSV and GeoJSON have them, and GPX and KML cannot.",
        ],
        options: [
            Option(
                "format", short: "t", Value("FORMAT", .choice(TrackFormat.allCases.map(\.rawValue))),
                "the format; otherwise the one that FILE is named after"),
            Option("output", short: "o", Value("FILE", .file), "the file; otherwise standard output"),
            Option("force", "replace the file where it exists"),
            Option("count", short: "n", Value("N", .integer(1...Int.max)), "end after so many positions"),
            Option("duration", Value("S", .number(0...31_536_000)), "end after so many seconds"),
            CommonOptions.distance, CommonOptions.interval, CommonOptions.accuracy,
            Option("from", Value("FILE", .file), "take positions from lines of JSON; - is standard input"),
            Option("events", "write the journal's events instead of positions"),
        ],
        examples: [
            Command.Example("waymark export -o walk.gpx --distance 5", "Until Ctrl-C, a point every five metres."),
            Command.Example(
                "waymark export --format kml --from track.jsonl -o track.kml", "Of what was recorded before."),
            Command.Example("waymark export --events -o events.csv", "What happened, for a spreadsheet."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let invocation = session.invocation
        let path = invocation.text("output")
        guard
            let format = invocation.text("format").flatMap({ TrackFormat(rawValue: $0) })
                ?? path.flatMap({ TrackFormat(fileName: $0) })
        else {
            let formats = TrackFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--format is missing: one of \(formats).", command: "export")
        }
        if invocation.has("events") { return try exportEvents(format, path, session) }
        var export = try TrackExport(
            session, format: format, path: path, most: session.invocation.integer("count") ?? .max)
        let interruption = try session.interruption()
        do throws(CommandFailure) {
            if let source = invocation.text("from") {
                let lines = try PositionLines(source, interruption)
                while export.isWanted, let position = try lines.next() { try export.add(position) }
            } else {
                try follow(&export, session, interruption)
            }
        } catch .ended(let code) where code == .interrupted || code == .terminated {
            try export.finish()
            let hasEnd = ["count", "duration", "from"].contains { invocation.isGiven($0) }
            throw .ended(hasEnd ? code : .success)
        }
        try export.finish()
    }

    private static func follow(
        _ export: inout TrackExport, _ session: Session, _ interruption: Interruption
    ) throws(CommandFailure) {
        let feed = try PositionFeed(session, MonitorRequest(session.invocation), interruption)
        var reasons = PositionReasons()
        let end = session.invocation.number("duration").map {
            session.clock.monotonicNanoseconds.after(.seconds($0))
        }
        while export.isWanted {
            let now = session.clock.monotonicNanoseconds
            if let end, now >= end { return }
            guard let item = try feed.next(timeout: end.map { .nanoseconds(Int64($0 - now)) }) else { continue }
            reasons.tell(item.update, session.remarks)
            if let position = item.update.position { try export.add(position) } else { try export.interrupt() }
        }
    }

    private static func exportEvents(
        _ format: TrackFormat, _ path: String?, _ session: Session
    ) throws(CommandFailure) {
        guard var writer = EventExport(format) else {
            throw .usage(
                "\(format.rawValue.uppercased()) holds places only, and events have none: use --format csv or geojson.",
                command: "export")
        }
        for option in ["from", "count", "duration"] where session.invocation.isGiven(option) {
            throw .usage("--\(option) is for positions and does not go with --events.", command: "export")
        }
        let file = try ExportFile(path: path, overwrites: session.invocation.has("force"))
        try file.write(writer.begin())
        var count = 0
        var text = ""
        try LogCommand.forEach(JournalRequest(), session) { (event, _) throws(CommandFailure) in
            text += writer.add(event)
            count += 1
        } afterReply: { () throws(CommandFailure) in
            try file.write(text)
            text = ""
            if path != nil { session.remarks.progress("\(Measure.count(count, "event"))") }
        }
        try file.write(writer.end())
        try file.finish()
        if let path { session.remarks.say("Wrote \(Measure.count(count, "event")) to \(path).") }
    }
}

/// Positions on their way into a file, which is begun with the first one.
struct TrackExport {
    private let session: Session
    private let path: String?
    private let most: Int
    private var writer: any TrackWriting
    private let file: ExportFile
    private var count = 0
    private var lastTime = -Double.infinity

    /// Opens the file, so that what stands in its way is said at once.
    init(_ session: Session, format: TrackFormat, path: String?, most: Int) throws(CommandFailure) {
        self.session = session
        file = try ExportFile(path: path, overwrites: session.invocation.has("force"))
        self.path = path
        writer = format.writer()
        self.most = most
    }

    /// Whether more positions are wanted.
    var isWanted: Bool { count < most }

    mutating func add(_ position: Position) throws(CommandFailure) {
        if count == 0 { try file.write(writer.begin()) }
        if position.timestamp < lastTime { try interrupt() }
        lastTime = position.timestamp
        try file.write(writer.add(position))
        count += 1
        // Beside what a pipe's other end writes on the same terminal, it would stand in the middle of the data.
        if path != nil { session.remarks.progress("\(Measure.count(count, "position")), Ctrl-C ends") }
    }

    mutating func interrupt() throws(CommandFailure) {
        if count > 0 { try file.write(writer.interrupt()) }
    }

    mutating func finish() throws(CommandFailure) {
        guard count > 0 else {
            throw .failed("NoPositions", "No position came: nothing was written.", .noPosition)
        }
        try file.write(writer.end())
        try file.finish()
        if let path { session.remarks.say("Wrote \(Measure.count(count, "position")) to \(path).") }
        session.remarks.endProgress()
    }
}
