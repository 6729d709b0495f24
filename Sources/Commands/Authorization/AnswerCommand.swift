import CommandLineKit
import Interfaces

/// `waymark answer`: answers a request, for any user.
enum AnswerCommand {
    static let command = Command(
        "answer", "answer an app's request in place of its user",
        discussion: [
            "`waymark requests` lists the requests, with their numbers and choices. Without --precise or --reduced the"
                + " accuracy is the one that the request proposes. Needs an operator.",
            "once: until the app is no longer in use. while-using: whenever it is in use. keep-while-using: the same,"
                + " without the change to always. always: also in the background. allow: full accuracy until it is no"
                + " longer in use; of a request to track, tracking. deny: no positions, or no tracking.",
        ],
        options: [AppOptions.precise, AppOptions.reduced, CommonOptions.json],
        arguments: [
            Command.Argument(Value("NUMBER", .named("requests")), "the request's number"),
            Command.Argument(Value("CHOICE", .choice(AnswerWord.all.map(\.word))), "the answer"),
        ],
        examples: [Command.Example("waymark answer 3 while-using --reduced", "While in use, with reduced accuracy.")])

    static func run(_ session: Session) throws(CommandFailure) {
        guard let choice = session.invocation.argument("CHOICE").flatMap(AnswerWord.choice) else { return }
        guard let number = session.invocation.argument("NUMBER").flatMap({ Int($0) }), number > 0 else {
            throw .usage("NUMBER is a request's number, as `waymark requests` lists them.", command: "answer")
        }
        let request = ManageInterface.Answer(
            id: Int64(number), choice: choice, precise: try AppOptions.precise(session))
        let reply = try ManageLink(session).call(request, CommandAdvice(request: number))
        let result = (reply.app, try reply.bytes(of: "app"))
        if reply.kind == .tracking { return try TrackingCommand.report(result, session) }
        try DecisionText.report(result, session)
    }
}
