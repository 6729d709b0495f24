import CommandLineKit
import Interfaces
import NetworkPaths
import Varlink

/// `waymark path`: whether there is a network.
enum PathCommand {
    static let command = Command(
        "path", "show whether there is a network, and which interface and router are used",
        discussion: [
            "Shows whether this machine has a route to the rest of the world, through which interfaces and routers, and"
                + " otherwise the reason and the remedy. No packet is sent: the kernel is queried. Ends with 0 if there"
                + " is a route, else with 6.",
            "With --wait it ends with 0 as soon as there is a network, and with 6 when the time is over. It reconnects"
                + " to a daemon that restarts meanwhile.",
        ],
        options: NetworkOptions.all,
        examples: [
            Command.Example("waymark path", "Is there a network, and why not?"),
            Command.Example("waymark path --wait --timeout 60 && rsync …", "Waits up to a minute for a network."),
            Command.Example("waymark path --watch", "Every change, with its time."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        func answer(_ path: NetworkPath, _ reply: Reply) throws(CommandFailure) -> NetworkAnswer {
            // The word of a newer daemon is shown unchanged.
            let text = PathText(path: path, word: reply.parameters["path"]?["reason"]?.stringValue)
            return NetworkAnswer(
                isReached: path.status == .satisfied, sentence: text.sentence, lines: text.lines(for: session.terminal),
                change: text.change(for: session.terminal), object: reply.rawParameter("path") ?? [])
        }
        let inquiry = NetworkInquiry(
            get: ReachabilityInterface.GetPath(), monitor: ReachabilityInterface.MonitorPath(), waiting: 0
        ) { (value, reply) throws(CommandFailure) in
            try answer(value.path, reply)
        } readChange: { (value, reply) throws(CommandFailure) in
            try answer(value.path, reply)
        }
        try inquiry.run(session, command: "path")
    }
}
