import CommandLineKit
import Interfaces

/// `waymark reset`: erases decisions.
enum ResetCommand {
    static let command = Command(
        "reset", "forget what was decided for an app, so that it may ask again",
        discussion: [
            "It has no positions until it is decided anew. That it ever asked for always is forgotten as well. Needs an"
                + " operator."
        ],
        options: [Option("all", "every app of every user"), AppOptions.yes, AppOptions.user, CommonOptions.json],
        arguments: [
            Command.Argument(
                Value("APP", .named("apps")), "the app: the name of its manifest without .app", isOptional: true)
        ],
        examples: [
            Command.Example("waymark reset org.example.TrailMap", "It asks when it next needs a position."),
            Command.Example("waymark reset --all --yes", "In a script, before a machine is handed on."),
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
                throw .usage("--all is about every user: leave --user out.", command: "reset")
            }
            try AppOptions.confirm("Forget what was decided for every app of every user?", session)
            let reply = try ManageLink(session).call(ManageInterface.ResetAll())
            if session.isJSON { return try session.print(json: reply.bytes) }
            let count = reply.count
            try session.print([
                count == 0
                    ? "Nothing was decided for any app." : "Forgot what was decided for \(Measure.count(count, "app"))."
            ])
        }
    }
}
