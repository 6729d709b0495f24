import CommandLineKit
import Interfaces
import Varlink

/// `waymark waking`: whether an app is started when something happens.
enum WakingCommand {
    static let command = Command(
        "waking", "stop waking an app, or allow it again",
        discussion: [
            "An app whose manifest has a section [Wake] is started when something happens for which it is authorized."
                + " `waymark apps APP` shows what wakes it, and why not.",
            "After stop it is not woken until it starts by itself, or until allow. Its events are stored meanwhile. allow also"
                + " lifts a pause after three wakes without success, and the effect of `systemctl stop`. Needs an operator.",
        ],
        options: [AppOptions.user],
        arguments: [
            Command.Argument(Value("CHOICE", .choice(["stop", "allow"])), "what is to hold"), AppOptions.app,
        ],
        examples: [
            Command.Example("waymark waking stop yard-gate", "It starts when a person starts it, and not otherwise."),
            Command.Example("waymark waking allow yard-gate", "After a defect of the app was mended."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        guard let app = session.invocation.argument("APP"), let choice = session.invocation.argument("CHOICE") else {
            return
        }
        let isAllowed = choice == "allow"
        let user = try AppOptions.user(session)
        _ = try session.daemon.call(WakingInterface.SetAllowed(app: app, uid: user, allowed: isAllowed))
        try session.print(
            sentence: isAllowed
                ? "\(app) is woken when something happens for which it is authorized."
                : "\(app) is not woken until it starts by itself, or until `waymark waking allow \(app)`.")
    }
}
