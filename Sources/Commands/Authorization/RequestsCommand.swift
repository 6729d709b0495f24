import Agent
import CommandLineKit
import Interfaces
import JSONText
import Location
import Varlink

/// `waymark requests`: the unanswered requests of apps.
enum RequestsCommand {
    static let command = Command(
        "requests", "show the unanswered requests of apps",
        discussion: [
            "Shows each request with the app's reason, in the language of LC_MESSAGES where the app has it, and the"
                + " commands that answer it. An agent may show the same request: the first answer decides. Needs an"
                + " operator.",
            "No agent shows a request of an app whose manifest is in its user's folder, ~/.config/waymark/apps, while"
                + " that user has no session at this machine's screen and keyboard: an operator answers it.",
        ],
        options: [CommonOptions.json],
        examples: [
            Command.Example("waymark requests", "The oldest first."),
            Command.Example(
                "waymark requests --json | jq -r 'select(.isShown | not) | .id'",
                "Those that no agent shows."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let (requests, objects) = try all(session)
        if session.isJSON {
            for object in objects { try session.print(json: object.bytes) }
            return
        }
        let now = Double(session.clock.utcMicroseconds) / 1e6
        let blocks = requests.map { request in
            RequestText(request: request, now: now, preference: .current).lines(for: session.terminal)
        }
        try session.print(Array(blocks.joined(separator: [""])))
        if requests.isEmpty { session.remarks.say("There are no requests.") }
        if requests.count < objects.count {
            let count = Measure.count(objects.count - requests.count, "request")
            session.remarks.say("\(count) of a newer daemon cannot be shown: see --json.")
        }
    }

    /// The requests that this version understands, and the objects of all requests.
    static func all(_ session: Session) throws(CommandFailure) -> (requests: [OpenRequest], objects: [JSON]) {
        let list = try ManageLink(session).list(ManageInterface.ListRequests(), "requests", of: OpenRequest.self)
        return (list.elements, list.objects)
    }
}

/// A request for a person.
struct RequestText {
    let request: OpenRequest
    /// Seconds since 1970.
    let now: Double
    let preference: LanguagePreference

    private var question: Question { request.question }

    /// The request, the app's reason, its age, and the commands that answer it.
    func lines(for terminal: Terminal) -> [String] {
        let width = (terminal.isTerminal ? terminal.width : 100) - 4
        let name = preference.text(question.name)
        let app = name == question.app ? question.app : "\(name) (\(question.app))"
        let head = "\(question.id)  \(app) of \(UserName.text(Int64(request.uid))) \(Self.words(question.kind))"
        let reason = "“\(preference.text(question.purpose))”".escapingControls.wrapped(to: width)
        var facts = ["asked \(Measure.age(max(0, now - request.raisedAt))) ago"]
        facts.append(request.isShown ? "an agent shows it" : "no agent shows it")
        if let assurance = question.assurance { facts.append("proof: \(assurance)") }
        if let key = question.purposeKey { facts.append("purpose \(key)") }
        let commands = question.choices.map { choice in
            "waymark answer \(question.id) \(AnswerWord.text(choice))\(option(choice))"
        }
        return [terminal.styled(head.escapingControls, .bold)] + reason.map { "   \($0)" }
            + ["   \(facts.joined(separator: ", "))".escapingControls] + commands.map { "   → \($0)" }
    }

    /// The accuracy that applies by default, so that the command is explicit.
    private func option(_ choice: PromptChoice) -> String {
        guard question.asksAccuracy, choice != .deny else { return "" }
        return question.proposesFullAccuracy ? " --precise" : " --reduced"
    }

    static func words(_ kind: PromptKind) -> String {
        switch kind {
        case .whenInUse: "asks for positions while it is used."
        case .always: "asks for positions always."
        case .changeToAlways: "has positions while it is used, and asks for positions always."
        case .confirmAlways: "got a position in the background: may it have positions always?"
        case .temporaryFullAccuracy: "asks for full accuracy until it is no longer in use."
        case .tracking: "asks to track its user across other companies’ apps and websites."
        }
    }
}
