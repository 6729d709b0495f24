import CommandLineKit
import Interfaces

/// `waymark answer`: answers a request, for any user.
enum AnswerCommand {
    static let command = Command(
        "answer", "answer what an app asks, instead of its user",
        discussion: [
            "`waymark requests` lists what is asked, with its number and its choices. Without --precise or --reduced the"
                + " accuracy is what the request proposes. Needs an operator.",
            "once: until the app leaves use. while-using: whenever it is in use. keep-while-using: not more than that."
                + " always: also in the background. allow: full accuracy until it leaves use. deny: no.",
        ],
        options: [AppOptions.precise, AppOptions.reduced, CommonOptions.json],
        arguments: [
            Command.Argument(Value("NUMBER", .integer(1...Int.max)), "the request's number"),
            Command.Argument(Value("CHOICE", .choice(AnswerWord.all.map(\.word))), "the answer"),
        ],
        examples: [Command.Example("waymark answer 3 while-using --reduced", "Yes, but not exactly where.")])

    static func run(_ session: Session) throws(CommandFailure) {
        guard let number = session.invocation.argument("NUMBER").flatMap({ Int($0) }),
            let choice = session.invocation.argument("CHOICE").flatMap(AnswerWord.choice)
        else { return }
        let request = ManageInterface.Answer(
            id: Int64(number), choice: choice, precise: try AppOptions.precise(session))
        let reply = try ManageLink(session).call(request, CommandAdvice(request: number))
        try DecisionText.report((reply.app, try reply.bytes(of: "app")), session)
    }
}
