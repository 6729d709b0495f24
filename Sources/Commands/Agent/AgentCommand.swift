import Agent
import CommandLineKit
import Configuration
import Glibc
import Platform
import Waker

/// `waymark agent`: shows prompts for apps' requests.
enum AgentCommand {
    static let command = Command(
        "agent", "ask you which apps may use your location",
        discussion: [
            "While it runs, it shows the requests of your apps for positions. On a terminal you type the answer;"
                + " with --desktop, or without a terminal, a request is a desktop notification with buttons.",
            "On a desktop it also shows the alerts of apps about records that another machine has changed"
                + " (`waymark sync alerts`).",
            "It ends with Ctrl-C or the end of its input. Unanswered requests remain pending: see"
                + " `waymark requests`.",
            "Phrases are in English, French, German, Japanese, Korean or Spanish, as LC_ALL, LC_MESSAGES, LANG and"
                + " LANGUAGE say.",
            "With --json it is for programs that show the prompts: requests are written to standard output, one object"
                + " a line, and answers are read from standard input, such as"
                + " {\"prompt\": 7, \"choice\": \"allowOnce\", \"precise\": true}.",
        ],
        options: [
            Option("desktop", "show requests as desktop notifications"),
            Option("wake", "show nothing, and start the services of your sleeping apps when the daemon orders it"),
            CommonOptions.json,
        ],
        examples: [
            Command.Example("waymark agent", "Shows requests in this terminal."),
            Command.Example("systemctl --user enable --now waymark-agent", "Shows requests after every login."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let invocation = session.invocation
        if session.isJSON, invocation.has("desktop") {
            throw .usage("Only one of --json and --desktop can be given.", command: "agent")
        }
        if !session.isAgentProgram { AgentProgram.become(session) }
        if invocation.has("wake") { return try wake(session) }
        let preference = LanguagePreference.current
        if session.isJSON { return try LineAgent(session, preference).run() }
        let hasTerminal = isatty(STDIN_FILENO) == 1
        if hasTerminal, !invocation.has("desktop") { return try TerminalAgent(session, preference).run() }
        switch try DesktopAgent(session, preference, hasTerminal: hasTerminal).run() {
        case .noButtons: try TerminalAgent(session, preference).run()
        }
    }
}

extension AgentCommand {
    /// Starts the services of this user's sleeping apps.
    fileprivate static func wake(_ session: Session) throws(CommandFailure) {
        Log.program = "waymark-agent"
        let folders = Configuration.load().settings.authorization.manifests
        do {
            try WakerRun.run(
                socketPath: session.socketPath, managerPath: WakerRun.manager(of: getuid()),
                manifests: WakeManifests(folders: folders, user: getuid()))
        } catch {
            throw .failed("NotStarted", "The program could not be started: \(error).")
        }
    }
}

extension LanguagePreference {
    /// The languages of this program's environment.
    static var current: Self { Self { name in getenv(name).map { String(cString: $0) } } }
}
