import CommandLineKit
import Interfaces
import JSONText
import Location
import Varlink

/// `waymark recording`: recorded positions.
enum RecordingCommand {
    static let command = Command(
        "recording", "record positions, read, export and erase them",
        discussion: [
            "A recording belongs to the app that started it. For all subcommands but list and erase that is this"
                + " program, if a manifest with Record=yes matches it. Operators see the recordings of everybody and"
                + " the number of positions, but no position."
        ],
        examples: [
            Command.Example("waymark recording list", "The recordings, and their pending positions."),
            Command.Example("waymark recording start hike --distance 10", "A point every ten metres, from now on."),
            Command.Example("waymark recording export hike -o hike.gpx", "The recorded positions, for a map."),
        ],
        subcommands: [
            Command(
                "list", "show the recordings, their states and their pending positions",
                discussion: [
                    "WAITING is the number of positions that are not acknowledged, OLDEST the age of the oldest of"
                        + " them, REJECTED the number that a destination has rejected, LOST the number dropped before"
                        + " they were acknowledged. PROTECTION is the class of data protection with which positions are"
                        + " stored, see waymark-protection(1)."
                ], options: [CommonOptions.json]),
            Command(
                "start", "record positions from now on, even while the app does not run",
                discussion: [
                    "Earlier positions under this NAME are retained. If the app may not have positions yet, recording"
                        + " begins as soon as it may."
                ],
                options: [
                    CommonOptions.distance, CommonOptions.interval, CommonOptions.accuracy,
                    Option(
                        "on-revoke", Value("WHAT", .choice(RecordingOptions.OnRevoke.allCases.map(\.rawValue))),
                        "what happens to it when the app loses its authorization (default erase)"),
                    CommonOptions.json,
                ], arguments: [name]),
            Command(
                "stop",
                "stop recording; recorded positions are retained", options: [CommonOptions.json], arguments: [name]),
            Command(
                "read", "print the recorded positions that are not acknowledged",
                discussion: [
                    "With --json a line is an object with sequence and position. Ctrl-C ends --follow with 130."
                ],
                options: [
                    after, limit, Option("follow", short: "f", "continue with new positions"), CommonOptions.json,
                    CommonOptions.noReconnect,
                ],
                arguments: [name],
                examples: [
                    Command.Example(
                        "waymark recording read hike --json --follow",
                        "For another program, with new positions.")
                ]),
            Command(
                "acknowledge", "confirm that everything up to a number has arrived, so that it is no longer retained",
                arguments: [name, Command.Argument(Value("N", .integer(0...Int.max)), "the number")]),
            Command(
                "export", "write the recorded positions as GPX, GeoJSON, KML or CSV",
                discussion: ["This acknowledges nothing. The file appears under its name once it is complete."],
                options: [
                    Option(
                        "format", short: "t", Value("FORMAT", .choice(TrackFormat.allCases.map(\.rawValue))),
                        "the format; otherwise the one that FILE is named after"),
                    Option("output", short: "o", Value("FILE", .file), "the file; otherwise standard output"),
                    Option("force", "replace the file where it exists"), after, limit,
                ], arguments: [name]),
            Command(
                "erase", "end a recording and erase all of it",
                discussion: [
                    "Operators may name the recording of another app: --app, and --user where several users"
                        + " have that app."
                ],
                options: [
                    Option("app", Value("APP", .named("apps")), "the app that it belongs to"), AppOptions.user,
                    AppOptions.yes,
                ],
                arguments: [name]),
        ])

    private static let name = Command.Argument(
        Value("NAME", .named("recordings")), "the app's own name for the recording")
    private static let after = Option(
        "after", Value("N", .integer(0...Int.max)), "only positions with larger numbers than this")
    private static let limit = Option("limit", short: "n", Value("N", .integer(1...Int.max)), "at most so many")

    static func run(_ session: Session) throws(CommandFailure) {
        let identifier = session.invocation.argument("NAME") ?? ""
        switch session.invocation.path.last {
        case "list": try list(session)
        case "start": try start(identifier, session)
        case "stop":
            let reply = try session.daemon.call(RecordingInterface.Stop(identifier: identifier))
            try show(reply.recording, try reply.bytes(of: "recording"), session)
        case "read": try read(identifier, session)
        case "acknowledge": try acknowledge(identifier, session)
        case "export": try export(identifier, session)
        default: try erase(identifier, session)
        }
    }

    // Listing

    /// The recordings that this version understands, and the objects of all recordings.
    static func all(_ session: Session) throws(CommandFailure) -> (recordings: [KnownRecording], objects: [JSON]) {
        let reply: Reply
        do throws(VarlinkError) { reply = try session.daemon.reply(to: CallRequest(RecordingInterface.List())) } catch {
            // Operators see all recordings and apps their own; this program is neither.
            throw CommandFailure(error, socketPath: session.socketPath)
                .advising(OperatorAdvice.ofThisProcess, where: .recordingNotAllowed)
        }
        let list = try reply.list("recordings", of: KnownRecording.self)
        return (list.elements, list.objects)
    }

    private static func list(_ session: Session) throws(CommandFailure) {
        let (recordings, objects) = try all(session)
        if session.isJSON {
            for object in objects { try session.print(json: object.bytes) }
            return
        }
        let now = Double(session.clock.utcMicroseconds) / 1e6
        let text = RecordingText(now: now, terminal: session.terminal)
        try session.print(text.table(recordings))
        if recordings.isEmpty { session.remarks.say("Nothing is recorded.") }
    }

    private static func show(
        _ recording: KnownRecording, _ bytes: [UInt8], _ session: Session
    ) throws(CommandFailure) {
        if session.isJSON { return try session.print(json: bytes) }
        try session.print(sentence: RecordingText.sentence(recording))
    }

    // Starting and stopping

    private static func start(_ identifier: String, _ session: Session) throws(CommandFailure) {
        let invocation = session.invocation
        let request = RecordingInterface.Start(
            identifier: identifier,
            options: RecordingOptions(
                desiredAccuracy: invocation.number("accuracy"), distanceFilter: invocation.number("distance"),
                interval: invocation.number("interval"),
                onRevoke: invocation.text("on-revoke").flatMap(RecordingOptions.OnRevoke.init) ?? .erase))
        let reply = try session.daemon.call(request)
        try show(reply.recording, try reply.bytes(of: "recording"), session)
    }

    private static func acknowledge(_ identifier: String, _ session: Session) throws(CommandFailure) {
        let number = session.invocation.argument("N").flatMap { Int64($0) } ?? 0
        let reply = try session.daemon.call(RecordingInterface.Acknowledge(identifier: identifier, upTo: number))
        try session.print(sentence: "Everything up to \(Measure.grouped(reply.acknowledged)) is acknowledged.")
    }

    private static func erase(_ identifier: String, _ session: Session) throws(CommandFailure) {
        let user = try AppOptions.user(session)
        try AppOptions.confirm("Erase all of \(identifier)?", session)
        let request = RecordingInterface.Erase(identifier: identifier, app: session.invocation.text("app"), uid: user)
        let count = try session.daemon.call(request).erased
        try session.print(sentence: "\(identifier) is erased, with \(Measure.count(count, "position")).")
    }

    // Reading

    private static func read(_ identifier: String, _ session: Session) throws(CommandFailure) {
        var printing = RecordingPrinting(session, try Preferences(session))
        let reading = RecordingReading(identifier, session)
        try reading.forEach(follows: session.invocation.has("follow")) {
            (point, object) throws(CommandFailure) in try printing.show(point, object)
        }
        if printing.count == 0 { session.remarks.say("There are no positions to read.") }
    }

    private static func export(_ identifier: String, _ session: Session) throws(CommandFailure) {
        let path = session.invocation.text("output")
        guard
            let format = session.invocation.text("format").flatMap({ TrackFormat(rawValue: $0) })
                ?? path.flatMap({ TrackFormat(fileName: $0) })
        else {
            let formats = TrackFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--format is missing: one of \(formats).", command: "recording export")
        }
        var export = try TrackExport(session, format: format, path: path, most: .max)
        try RecordingReading(identifier, session).forEach { (point, _) throws(CommandFailure) in
            try export.add(point.position)
        }
        try export.finish()
    }
}

/// Reads the positions of a recording, page by page.
struct RecordingReading {
    private let session: Session
    private let identifier: String
    private let limit: Int?

    /// The recording of this name, with at most so many positions; nil for the limit of the command line.
    init(_ identifier: String, _ session: Session, limit: Int? = nil) {
        self.identifier = identifier
        self.session = session
        self.limit = limit
    }

    /// Checks that the recording exists and may be read.
    func check() throws(CommandFailure) {
        _ = try session.daemon.call(RecordingInterface.Read(identifier: identifier, after: 0, limit: 1))
    }

    /// Calls back with each position and its object: those that exist, up to the limit, and with `--follow` new ones
    /// until an interruption.
    func forEach(
        follows: Bool = false, _ body: (RecordedPosition, JSON) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        var left = limit ?? session.invocation.integer("limit") ?? .max
        var request = RecordingInterface.Read(
            identifier: identifier, after: Int64(session.invocation.integer("after") ?? 0),
            limit: min(Int64(left), RecordingPage.mostPositions))
        let interruption = try session.interruption()
        while left > 0 {
            if let code = interruption.received() { throw .ended(code) }
            request.limit = min(Int64(left), RecordingPage.mostPositions)
            let points = Self.points(try session.daemon.call(request))
            for (point, object) in points { try body(point, object) }
            left -= points.count
            guard let last = points.last?.point.sequence else { break }
            request.after = last
        }
        guard follows, left > 0 else { return }
        request.wait = true
        let stream = try PatientStream(
            session, request, comesBack: !session.invocation.has("no-reconnect"), until: interruption)
        while left > 0 {
            switch try stream.next() {
            case .nothing, .lost, .expired: continue
            case .reply(let reply):
                for (point, object) in Self.points(reply).prefix(left) {
                    try body(point, object)
                    left -= 1
                    request.after = point.sequence
                }
                stream.method = request
            }
        }
    }

    private static func points(
        _ reply: MethodReply<RecordingInterface.Read>
    ) -> [(point: RecordedPosition, object: JSON)] {
        let objects = reply.message.parameters["points"]?.arrayValue ?? []
        return zip(RecordingPage(reply.value).points, objects).map { (point: $0, object: $1) }
    }
}

/// Prints recorded positions: as objects, or as lines with their numbers.
struct RecordingPrinting {
    private(set) var count = 0
    private let session: Session
    private let text: PositionText

    init(_ session: Session, _ preferences: Preferences) {
        self.session = session
        // The number and its gap precede the position.
        var terminal = session.terminal
        terminal.width = max(1, terminal.width - RecordingText.numberTitle.displayWidth - 2)
        text = PositionText(terminal, preferences)
    }

    mutating func show(_ point: RecordedPosition, _ object: JSON) throws(CommandFailure) {
        count += 1
        if session.isJSON { return try session.print(json: object.bytes) }
        var lines = [RecordingText.number(point.sequence) + "  " + text.line(point.position)]
        if count == 1 {
            lines.insert(session.terminal.styled(RecordingText.numberTitle, .bold) + "  " + text.header, at: 0)
        }
        try session.print(lines)
    }
}
