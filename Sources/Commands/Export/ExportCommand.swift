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
            "Writes the positions recorded under NAME that are not acknowledged yet; without NAME those of the only"
                + " recording. A recording can be read only by its app. This command counts as an app where a manifest"
                + " matches it (`waymark recording --help`).",
            "With --follow new positions are written too: with NAME after the recorded ones, without it live from the"
                + " daemon, for operators too. With --from positions are read from the output of `waymark watch"
                + " --json`.",
            "The file appears under its name once it is complete. Ctrl-C completes it: the exit code is 0 where nothing"
                + " else ends the export, and 130 where the end, --count or --duration was not reached.",
            "With --events it writes all events of the journal instead. Events have no coordinates: CSV and GeoJSON"
                + " allow that, GPX and KML do not.",
        ],
        options: [
            Option(
                "format", short: "t", Value("FORMAT", .choice(TrackFormat.allCases.map(\.rawValue))),
                "the format; otherwise the one that FILE is named after"),
            Option("output", short: "o", Value("FILE", .file), "the file; otherwise standard output"),
            Option("force", "replace the file where it exists"),
            Option("follow", short: "f", "write positions as they come, until Ctrl-C"),
            Option("count", short: "n", Value("N", .integer(1...Int.max)), "end after so many positions"),
            Option("duration", Value("S", .number(0...31_536_000)), "with --follow, end after so many seconds"),
            CommonOptions.distance, CommonOptions.interval, CommonOptions.accuracy,
            Option("from", Value("FILE", .file), "read positions from lines of JSON; - is standard input"),
            Option("events", "write the journal's events instead of positions"),
        ],
        arguments: [
            Command.Argument(
                Value("NAME", .named("recordings")), "the recording (default the only one)", isOptional: true)
        ],
        examples: [
            Command.Example("waymark export hike -o hike.gpx", "The recording hike."),
            Command.Example(
                "waymark export --follow -o walk.gpx --distance 5", "Until Ctrl-C, a point every five metres."),
            Command.Example(
                "waymark export --format kml --from track.jsonl -o track.kml", "From a file of positions."),
            Command.Example("waymark export --events -o events.csv", "The journal, for a spreadsheet."),
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
        if let mistake = mistake(in: invocation) { throw .usage(mistake, command: "export") }
        if invocation.has("events") { return try exportEvents(format, path, session) }
        // Before the file is opened, because there may be nothing to write.
        let recording = try recording(session)
        var export = try TrackExport(
            session, format: format, path: path, most: session.invocation.integer("count") ?? .max)
        let interruption = try session.interruption()
        do throws(CommandFailure) {
            if let source = invocation.text("from") {
                let lines = try PositionLines(source, interruption)
                while export.isWanted, let position = try lines.next() { try export.add(position) }
            } else if let recording {
                try recording.forEach(follows: invocation.has("follow")) { (point, _) throws(CommandFailure) in
                    try export.add(point.position)
                }
            } else {
                try follow(&export, session, interruption)
            }
        } catch .ended(let code) where code == .interrupted || code == .terminated {
            try export.finish()
            let hasEnd =
                !invocation.has("follow") || ["count", "duration", "from"].contains { invocation.isGiven($0) }
            throw .ended(hasEnd ? code : .success)
        }
        try export.finish()
    }

    /// The reason why options contradict each other, in a sentence; nil where they do not.
    private static func mistake(in invocation: Invocation) -> String? {
        let isLive = invocation.has("follow") && invocation.argument("NAME") == nil
        if let source = ["from", "events"].first(where: invocation.isGiven) {
            if invocation.argument("NAME") != nil || invocation.has("follow") {
                return "--\(source) cannot be combined with NAME or --follow."
            }
        } else if !isLive,
            let option = ["duration", "distance", "interval", "accuracy"].first(where: invocation.isGiven)
        {
            return
                "--\(option) applies to live positions: add --follow, without NAME. Recorded positions are written"
                + " unchanged."
        }
        return nil
    }

    /// The recording to write; nil where positions come from another source.
    private static func recording(_ session: Session) throws(CommandFailure) -> RecordingReading? {
        let invocation = session.invocation
        if invocation.isGiven("from") { return nil }
        let named = invocation.argument("NAME")
        if named == nil, invocation.has("follow") { return nil }
        do throws(CommandFailure) {
            let name: String
            if let named { name = named } else { name = try onlyRecording(session) }
            let reading = RecordingReading(name, session, limit: invocation.integer("count"))
            try reading.check()
            return reading
        } catch {
            guard case .failed(ErrorName.recordingNotAllowed.rawValue, _, let code) = error else { throw error }
            throw .failed(
                name: ErrorName.recordingNotAllowed.rawValue,
                message:
                    "A recording can be read only by its app, and this program is not an app here. To write live"
                    + " positions: `waymark export --follow`. How this command becomes an app with its own"
                    + " recordings: `waymark recording --help`.", code)
        }
    }

    private static func onlyRecording(_ session: Session) throws(CommandFailure) -> String {
        let names = Set(try RecordingCommand.all(session).recordings.map(\.identifier)).sorted()
        guard let name = names.first else {
            throw .failed(
                "NothingRecorded",
                "Nothing is recorded. `waymark recording start NAME` begins a recording; `waymark export --follow`"
                    + " writes live positions.", .noPosition)
        }
        guard names.count == 1 else {
            throw .usage("NAME is missing, and there are \(names.joined(separator: ", ")).", command: "export")
        }
        return name
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
            for sentence in reasons.timePassed(now: now) { session.remarks.say(sentence) }
            let next = [end, reasons.deadline].compactMap { $0 }.min()
            guard let item = try feed.next(timeout: next.map { now.duration(until: $0) }) else { continue }
            let sentences = reasons.report(
                item.update, isFirst: item.isFirst, now: session.clock.monotonicNanoseconds)
            for sentence in sentences { session.remarks.say(sentence) }
            if let position = item.update.position { try export.add(position) } else { try export.interrupt() }
        }
    }

    private static func exportEvents(
        _ format: TrackFormat, _ path: String?, _ session: Session
    ) throws(CommandFailure) {
        guard var writer = EventExport(format) else {
            throw .usage(
                "\(format.rawValue.uppercased()) allows only positions, and events have none: use --format csv or"
                    + " geojson.",
                command: "export")
        }
        for option in ["from", "count", "duration"] where session.invocation.isGiven(option) {
            throw .usage("--\(option) applies to positions and cannot be combined with --events.", command: "export")
        }
        let file = try ExportFile(path: path, overwrites: session.invocation.has("force"))
        try file.write(writer.begin())
        var count = 0
        var text = ""
        try LogCommand.forEach(JournalInterface.Read(), session) { (event, _) throws(CommandFailure) in
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

/// An export of positions into a file, which is opened with the first position.
struct TrackExport {
    private let session: Session
    private let path: String?
    private let most: Int
    private var writer: any TrackWriting
    private let file: ExportFile
    private var count = 0
    private var lastTime = -Double.infinity

    /// Opens the file, so that an error is reported at once.
    init(_ session: Session, format: TrackFormat, path: String?, most: Int) throws(CommandFailure) {
        self.session = session
        file = try ExportFile(path: path, overwrites: session.invocation.has("force"))
        self.path = path
        writer = format.writer()
        self.most = most
    }

    /// Whether the limit of positions is not reached yet.
    var isWanted: Bool { count < most }

    mutating func add(_ position: Position) throws(CommandFailure) {
        if count == 0 { try file.write(writer.begin()) }
        if position.timestamp < lastTime { try interrupt() }
        lastTime = position.timestamp
        try file.write(writer.add(position))
        count += 1
        // Without a path the output may be a pipe whose reader writes to the same terminal, so progress would mix with
        // the data.
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
