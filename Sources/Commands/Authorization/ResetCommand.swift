import CommandLineKit
import Interfaces

/// `waymark reset`: erases decisions.
enum ResetCommand {
    static let command = Command(
        "reset", "erase the decisions for an app, or the identifiers of apps",
        discussion: [
            "The app may make requests again, and has no positions and no advertising identifier until the next decision. Its"
                + " request for always is erased as well. Needs an operator.",
            "--identifiers changes the identifiers that apps have queried, of one user or of all, without an effect on"
                + " decisions: at its next query an app receives a new one, which cannot be connected with the old one."
                + " `waymark report` lists the queries. Needs an operator.",
            "--advertising-identifier changes only the identifier that apps receive which may track you. Without --user it"
                + " needs no operator.",
        ],
        options: [
            Option("all", "every app of every user"),
            Option("identifiers", "the identifiers of all apps, of every user or of --user"),
            Option("advertising-identifier", "the advertising identifier, your own or that of --user"),
            AppOptions.yes, AppOptions.user, CommonOptions.json,
        ],
        arguments: [
            Command.Argument(
                Value("APP", .named("apps")), "the app: the name of its manifest without .app", isOptional: true)
        ],
        examples: [
            Command.Example("waymark reset org.example.TrailMap", "It makes a request when it next needs a position."),
            Command.Example("waymark reset --identifiers --user alice", "Her apps get new identifiers."),
            Command.Example("waymark reset --advertising-identifier", "Whoever tracks you has to begin again."),
            Command.Example("waymark reset --all --yes", "In a script, before the machine changes hands."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let app = session.invocation.argument("APP")
        if session.invocation.has("identifiers") { return try resetIdentifiers(session) }
        if session.invocation.has("advertising-identifier") { return try resetAdvertisingIdentifier(session) }
        switch (app, session.invocation.has("all")) {
        case (nil, false):
            throw .usage("APP is missing, or --all, --identifiers or --advertising-identifier.", command: "reset")
        case (_?, true): throw .usage("APP and --all exclude each other.", command: "reset")
        case (let app?, false):
            let request = ManageInterface.Reset(app: app, uid: try AppOptions.user(session))
            let advice = CommandAdvice(line: "waymark reset \(app)", app: app)
            let reply = try ManageLink(session).call(request, advice)
            try DecisionText.report((reply.app, try reply.bytes(of: "app")), session)
        case (nil, true):
            guard session.invocation.text("user") == nil else {
                throw .usage("--all applies to every user: omit --user.", command: "reset")
            }
            try AppOptions.confirm("Erase the decisions for every app of every user?", session)
            let reply = try ManageLink(session).call(ManageInterface.ResetAll())
            if session.isJSON { return try session.print(json: reply.bytes) }
            let count = reply.count
            try session.print(
                sentence: count == 0
                    ? "Nothing was decided for any app." : "Erased the decisions for \(Measure.count(count, "app")).")
        }
    }

    private static func resetIdentifiers(_ session: Session) throws(CommandFailure) {
        let others = ["all", "advertising-identifier"]
        guard session.invocation.argument("APP") == nil, !others.contains(where: session.invocation.has) else {
            throw .usage(
                "--identifiers is for all identifiers of all apps: omit APP, --all and --advertising-identifier.",
                command: "reset")
        }
        let user = try AppOptions.user(session)
        let whose = user.map { "of \(UserName.text(Int64($0)))" } ?? "of every user"
        try AppOptions.confirm("Give the apps \(whose) new identifiers?", session)
        let reply = try ManageLink(session).call(ManageInterface.ResetIdentifiers(uid: user))
        if session.isJSON { return try session.print(json: reply.bytes) }
        let count = reply.count
        try session.print(
            sentence: count == 0
                ? "No app \(whose) has an identifier."
                : "Reset \(Measure.count(count, "identifier")): apps receive new ones at their next query.")
    }

    private static func resetAdvertisingIdentifier(_ session: Session) throws(CommandFailure) {
        guard session.invocation.argument("APP") == nil, !session.invocation.has("all") else {
            throw .usage("--advertising-identifier is the same for all apps: omit APP and --all.", command: "reset")
        }
        let user = try AppOptions.user(session)
        let whose = user.map { "of \(UserName.text(Int64($0)))" } ?? "of yours"
        try AppOptions.confirm("Replace the advertising identifier \(whose)?", session)
        let wasReset: Bool
        if let user {
            let request = ManageInterface.ResetIdentifiers(uid: user, kind: .advertisingIdentifier)
            let reply = try ManageLink(session).call(request)
            if session.isJSON { return try session.print(json: reply.bytes) }
            wasReset = reply.count > 0
        } else {
            let reply = try session.daemon.call(IdentityInterface.ResetAdvertisingIdentifier())
            if session.isJSON { return try session.print(json: reply.bytes) }
            wasReset = reply.wasReset
        }
        try session.print(
            sentence: wasReset
                ? "Reset the advertising identifier: apps that may track receive a new one at their next query."
                : "No app has received an advertising identifier \(whose).")
    }
}
