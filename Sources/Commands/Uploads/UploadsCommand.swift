import CommandLineKit
import Destinations
import Interfaces
import Varlink

/// `waymark uploads`: the uploads of recordings to destinations.
enum UploadsCommand {
    private static let name = Command.Argument(
        Value("NAME", .named("uploads")), "the upload: the destination's name, which is its recording's")

    static let command = Command(
        "uploads", "show the uploads and their states, and pause, resume or flush them",
        discussion: [
            "An upload is a recording that an uploader sends to a destination: waymark-upload@NAME.service, with its"
                + " settings in \(DestinationFile.folder)/NAME.conf."
        ],
        examples: [
            Command.Example("waymark uploads", "All uploads with their states."),
            Command.Example("waymark uploads flush home", "Send pending positions now, and wait until that is done."),
            Command.Example("waymark uploads check home", "Before its service is started."),
        ],
        subcommands: [
            list,
            order("pause", "stop sending until `resume`, also after a restart"),
            order("resume", "resume sending"),
            flush,
            order(
                "retry-rejected", "send rejected positions once more",
                [
                    "A position that is accepted now is no longer a dead letter; one that is rejected again remains"
                        + " one."
                ]),
            rejected,
            check,
            Command(
                "example", "print a file with every setting of a destination and its default",
                examples: [
                    Command.Example("waymark uploads example >home.conf", "As a starting point.")
                ]),
        ], usual: "list")

    private static let list = Command(
        "list", "show the uploads",
        discussion: [
            "One line for each: its state and the reason, the number of pending positions and the age of the oldest,"
                + " how many were sent since the recording began, rejected by the destination, and dropped before they"
                + " were sent. FILTERED are positions that [Filter] of the destination's file left out; they count as"
                + " neither sent nor waiting.",
            "No position is shown. Needs an operator.",
        ],
        options: [
            CommonOptions.json, Option("watch", short: "w", "continue, and show every change"),
            CommonOptions.noReconnect,
        ],
        examples: [
            Command.Example("waymark uploads --watch", "On a terminal the table is kept up to date."),
            Command.Example(
                "waymark uploads --json | jq -r 'select(.isRunning | not) | .name'", "Those without a running uploader."
            ),
        ])

    private static let flush = Command(
        "flush", "send pending positions now, whatever the path costs",
        discussion: [
            "The uploader does not wait for a better path or the next attempt. If there is no path, or the upload is"
                + " paused, the command says so and ends with 6.",
            "Waits until no position is pending, and shows the progress.",
        ],
        options: options + [
            Option("no-wait", "end as soon as the uploader has the command"),
            Option("timeout", Value("S", .number(0...86_400)), "wait at most so many seconds"),
        ],
        arguments: [name])

    private static let rejected = Command(
        "rejected", "show the positions that the destination has rejected, and its response for each",
        discussion: [
            "Prints the coordinates: an operator may read them, and that is counted like other positions (`waymark log"
                + " --kind positionsSeen`). They are retained until the destination accepts them or the recording is"
                + " erased.",
            "Needs an operator.",
        ],
        options: options, arguments: [name])

    private static let check = Command(
        "check", "find mistakes in the settings of destinations, with their places and the allowed values",
        discussion: [
            "Reads \(DestinationFile.folder)/*.conf, or the files named, as the uploader does; needs no daemon and"
                + " sends nothing. Ends with 1 where there is a mistake.",
            "A text with a / or the ending .conf is a file, any other the name of a destination.",
        ],
        options: [CommonOptions.json],
        arguments: [
            Command.Argument(Value("NAME|FILE", .file), "what to check (default all)", isOptional: true, repeats: true)
        ])

    private static let options = [
        Option("app", Value("APP", .named("apps")), "the app, where several apps have an upload of that name"),
        AppOptions.user, CommonOptions.json,
    ]

    private static func order(_ word: String, _ summary: String, _ discussion: [String] = []) -> Command {
        Command(
            word, summary, discussion: discussion + ["Needs an operator."], options: options, arguments: [name])
    }

    static func run(_ session: Session) throws(CommandFailure) {
        switch session.invocation.path.last {
        case "pause": try UploadOrder(session).perform(.pause)
        case "resume": try UploadOrder(session).perform(.resume)
        case "retry-rejected": try UploadOrder(session).perform(.retryRejected)
        case "flush": try UploadOrder(session).flush()
        case "rejected": try RejectedList(session).show()
        case "check": try UploadSettings.check(session)
        case "example":
            session.output.text(DestinationFile.example)
            try session.flush()
        default: try UploadList(session).show()
        }
    }
}

/// `waymark uploads list`.
struct UploadList {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func show() throws(CommandFailure) {
        if session.invocation.has("watch") { return try watch() }
        let reply = try session.daemon.call(UploadsInterface.List())
        try show(reply.uploads, reply.message)
    }

    private func show(_ uploads: [KnownUpload], _ reply: Reply) throws(CommandFailure) {
        if session.isJSON {
            for object in reply.parameters["uploads"]?.arrayValue ?? [] { try session.print(json: object.bytes) }
        } else {
            try session.print(lines(uploads, session.terminal))
        }
    }

    private func lines(_ uploads: [KnownUpload], _ terminal: Terminal) -> [String] {
        UploadText(uploads: uploads, now: Double(session.clock.utcMicroseconds) / 1e6, terminal: terminal).lines
    }

    private func watch() throws(CommandFailure) {
        let interruption = try session.interruption()
        let stream = try PatientStream(
            session, UploadsInterface.Monitor(), comesBack: !session.invocation.has("no-reconnect"),
            until: interruption)
        var known = UploadTable()
        var redrawing = Redrawing()
        let redraws = session.terminal.canRedraw && !session.isJSON
        while true {
            switch try stream.next(timeout: redraws ? .seconds(1) : nil) {
            case .reply(let reply):
                known.apply(reply.uploads)
                if !redraws { try show(reply.uploads, reply.message) }
            // The first reply after a reconnect is complete.
            case .lost: known = UploadTable()
            case .nothing, .expired: break
            }
            guard redraws else { continue }
            // Measured again each time, because a window's size can change. The ages advance without a change.
            let terminal = Terminal(descriptor: 1)
            session.output.text(redrawing.frame(lines(known.uploads, terminal), for: terminal))
            try session.flush()
        }
    }
}

/// The uploads, updated by the changes of a stream.
struct UploadTable {
    /// All of them, in order.
    private(set) var uploads: [KnownUpload] = []

    /// Applies the uploads that are new or have changed.
    mutating func apply(_ changed: [KnownUpload]) {
        for upload in changed {
            uploads.removeAll { ($0.name, $0.app, $0.uid) == (upload.name, upload.app, upload.uid) }
            uploads.append(upload)
        }
        uploads.sort { ($0.name, $0.app, $0.uid) < ($1.name, $1.app, $1.uid) }
    }
}
