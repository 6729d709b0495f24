import CommandLineKit
import Interfaces
import Location

/// `waymark tracking`: which apps may track the person, with the advertising identifier.
enum TrackingCommand {
    private static let statuses: [(word: String, status: ManageInterface.AuthorizeTracking.Status)] = [
        ("allow", .allow), ("deny", .deny), ("reset", .undecided),
    ]

    static let command = Command(
        "tracking", "show and decide which apps may track the person",
        discussion: [
            "An app that may track receives the advertising identifier of its user, which all such apps share. Any other app"
                + " receives zeros. The decision is independent of positions.",
            "`waymark reset --advertising-identifier` changes the identifier, and `waymark report` lists the apps that have"
                + " received it.",
        ],
        examples: [
            Command.Example("waymark tracking", "Which apps may track?"),
            Command.Example("waymark tracking deny org.example.TrailMap --user alice", "It receives zeros at once."),
            Command.Example("waymark tracking reset org.example.TrailMap", "It may make another request."),
        ],
        subcommands: [
            Command(
                "list", "show the decisions about tracking",
                discussion: [
                    "STATUS is the status in force: a restriction of the machine (ForbidTracking=) overrides a decision."
                        + " Needs an operator."
                ], options: [AppOptions.user, CommonOptions.json]),
            Command(
                "allow", "allow an app to track its user", discussion: [needsOperator],
                options: [AppOptions.user, CommonOptions.json], arguments: [AppOptions.app]),
            Command(
                "deny", "deny an app to track its user", discussion: [needsOperator],
                options: [AppOptions.user, CommonOptions.json], arguments: [AppOptions.app]),
            Command(
                "reset", "remove the decision about an app, which may then make another request",
                discussion: [needsOperator], options: [AppOptions.user, CommonOptions.json],
                arguments: [AppOptions.app]),
        ], usual: "list")

    private static let needsOperator = "In force at once, until the next decision. Needs an operator."

    static func run(_ session: Session) throws(CommandFailure) {
        let word = session.invocation.path.dropFirst(2).first ?? "list"
        guard let status = statuses.first(where: { $0.word == word })?.status,
            let app = session.invocation.argument("APP")
        else { return try list(session) }
        let request = ManageInterface.AuthorizeTracking(app: app, uid: try AppOptions.user(session), status: status)
        let advice = CommandAdvice(line: "waymark tracking \(word) \(app)", app: app)
        let reply = try ManageLink(session).call(request, advice)
        try report((reply.app, try reply.bytes(of: "app")), session)
    }

    /// Prints the decision about an app.
    static func report(_ result: (app: KnownApp, bytes: [UInt8]), _ session: Session) throws(CommandFailure) {
        if session.isJSON { return try session.print(json: result.bytes) }
        try session.print(sentence: TrackingText(app: result.app).sentence.escapingControls)
    }

    private static func list(_ session: Session) throws(CommandFailure) {
        let (list, objects) = try ManageLink(session).apps(
            ManageInterface.ListApps(uid: try AppOptions.user(session)))
        let apps = list.apps.filter { $0.trackingDecidedAt != nil }
        if session.isJSON {
            for object in objects where object["trackingDecidedAt"]?.numberValue != nil {
                try session.print(json: object.bytes)
            }
            return
        }
        guard !apps.isEmpty else { return try session.print(sentence: "Nothing is decided about tracking.") }
        var table = Table(["APP", "USER", "STATUS", "DECIDED"].map { .init($0) })
        for app in apps {
            let text = TrackingText(app: app)
            table.add([
                Table.Cell(app.id), Table.Cell(app.uid.map { UserName.text(Int64($0)) } ?? "-"),
                Table.Cell(text.status ?? "-", text.style), Table.Cell(text.decided ?? "-"),
            ])
        }
        try session.print(table.lines(for: session.terminal))
    }
}

/// Whether an app may track the person, for a person.
struct TrackingText {
    let app: KnownApp

    /// The status in force; nil where nothing was decided or forbidden.
    var status: String? { app.tracking.map(Self.words) }

    var style: Terminal.Style? {
        switch app.tracking {
        case .authorized: .green
        case .denied, .restricted: .red
        case .notDetermined, nil: .dim
        }
    }

    /// The time and author of the decision; nil without one.
    var decided: String? {
        app.trackingDecidedBy.map {
            DecisionAuthor.text($0, uid: app.trackingDecidedByUid, at: app.trackingDecidedAt)
        }
    }

    /// The effect of a decision, as a sentence.
    var sentence: String {
        let subject = AppText(app: app).subject
        return switch app.tracking {
        case .authorized: "\(subject) may track, and receives the advertising identifier."
        case .denied: "\(subject) may not track: it receives zeros instead of the advertising identifier."
        case .restricted:
            "\(subject) may not track, because a restriction of this machine forbids it: see `waymark restrictions`."
        case .notDetermined, nil: "Nothing is decided about tracking by \(subject): it may make a request."
        }
    }

    static func words(_ status: TrackingAuthorizationStatus) -> String {
        switch status {
        case .notDetermined: "not decided"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorized: "allowed"
        }
    }
}
