import CommandLineKit
import Interfaces

/// `waymark reset`: erases decisions.
enum ResetCommand {
    static let command = Command(
        "reset", "erase the decision for an app, so that it may make a request again",
        discussion: [
            "It has no positions until the next decision. Its request for always is erased as well. Needs an operator."
        ],
        options: [Option("all", "every app of every user"), AppOptions.yes, AppOptions.user, CommonOptions.json],
        arguments: [
            Command.Argument(
                Value("APP", .named("apps")), "the app: the name of its manifest without .app", isOptional: true)
        ],
        examples: [
            Command.Example("waymark reset org.example.TrailMap", "It makes a request when it next needs a position."),
            Command.Example("waymark reset --all --yes", "In a script, before the machine changes hands."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let app = session.invocation.argument("APP")
        switch (app, session.invocation.has("all")) {
        case (nil, false): throw .usage("APP is missing, or --all.", command: "reset")
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
}
