import CommandLineKit
import Destinations
import Interfaces
import Varlink

/// `waymark uploads`: the uploads of recordings to destinations.
enum UploadsCommand {
    private static let name = Command.Argument(
        Value("NAME", .named("uploads")), "the upload: the destination's name, which is its recording's")

    static let command = Command(
        "uploads", "show what is sent where and why it waits, and pause or push it",
        discussion: [
            "An upload is a recording that an uploader carries to a destination: waymark-upload@NAME.service, with its"
                + " settings in \(DestinationFile.folder)/NAME.conf."
        ],
        examples: [
            Command.Example("waymark uploads", "What waits, what was sent, and why not more."),
            Command.Example("waymark uploads flush home", "Send now what waits, and stay until that is done."),
            Command.Example("waymark uploads check home", "Before its service is started."),
        ],
        subcommands: [
            list,
            order("pause", "send nothing more until `resume`, also after a restart"),
            order("resume", "go on sending"),
            flush,
            order(
                "retry-rejected", "send once more what the destination did not take",
                ["What it takes now is no dead letter any more; what it does not take stays one."]),
            rejected,
            check,
            Command(
                "example", "print a file with every setting of a destination and its default",
                examples: [
                    Command.Example("waymark uploads example >home.conf", "To begin with.")
                ]),
        ], usual: "list")

    private static let list = Command(
        "list", "show the uploads",
        discussion: [
            "One line for each: how it stands and why, how many positions wait and since when the oldest does, how many"
                + " were sent since the uploader started, rejected by the destination, and dropped before they were"
                + " sent.",
            "Never a position. Needs an operator.",
        ],
        options: [
            CommonOptions.json, Option("watch", short: "w", "go on, and show every change"), CommonOptions.noReconnect,
        ],
        examples: [
            Command.Example("waymark uploads --watch", "On a terminal the table is kept up to date."),
            Command.Example(
                "waymark uploads --json | jq -r 'select(.isRunning | not) | .name'", "Those that nobody carries."),
        ])

    private static let flush = Command(
        "flush", "send what waits now, whatever the way costs",
        discussion: [
            "An uploader that waits for a better way, or until it tries again, does not. A missing way or a pause it"
                + " does not replace: then the command says so and ends with 6.",
            "Stays until nothing waits, and says how far that is.",
        ],
        options: options + [
            Option("no-wait", "end as soon as the uploader was told"),
            Option("timeout", Value("S", .number(0...86_400)), "stay at most so many seconds"),
        ],
        arguments: [name])

    private static let rejected = Command(
        "rejected", "show the positions that the destination did not take, and what it said of each",
        discussion: [
            "Prints where they were: an operator may read them, and that is counted like other positions (`waymark log"
                + " --kind positionsSeen`). They are kept until they are taken after all or the recording is erased.",
            "Needs an operator.",
        ],
        options: options, arguments: [name])

    private static let check = Command(
        "check", "find mistakes in the settings of destinations, and say where and what is allowed",
        discussion: [
            "Reads \(DestinationFile.folder)/*.conf, or what is named, as the uploader does; needs no daemon and sends"
                + " nothing. Ends with 1 where something is wrong.",
            "What has a / or ends in .conf is a file, else the name of a destination.",
        ],
        options: [CommonOptions.json],
        arguments: [
            Command.Argument(Value("NAME|FILE", .file), "what to check (default all)", isOptional: true, repeats: true)
        ])

    private static let options = [
        Option("app", Value("APP", .named("apps")), "whose upload, where more than one app has one of that name"),
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
