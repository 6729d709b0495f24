import CommandLineKit
import Interfaces
import Location
import Varlink

/// `waymark target`: whether a host can be reached.
enum TargetCommand {
    static let command = Command(
        "target", "show whether there is a route to a host, and each step that was checked",
        discussion: [
            "HOST is a name or an address, with an optional port: tracker.example.org, tracker.example.org:443,"
                + " 192.0.2.1:443, 2001:db8::1, [2001:db8::1]:443, fe80::1%eth0. The port is not tried.",
            "Reachable means that the kernel has a usable route to it. No packet is sent, except queries to name"
                + " servers for a name, so whether a program answers at the port is not known. Ends with 0 if it is reachable, else with 6. Without --watch and --wait it"
                + " shows the chain of steps that were checked, and the remedy.",
            "With --wait it ends with 0 as soon as the host is reachable, and with 6 when the time is over. It"
                + " reconnects to a daemon that restarts meanwhile.",
        ],
        options: NetworkOptions.all, arguments: [Command.Argument(Value("HOST"), "a name or an address")],
        examples: [
            Command.Example("waymark target tracker.example.org:443", "Can it be reached, and why not?"),
            Command.Example("waymark target 192.0.2.1 --wait --timeout 60", "Waits up to a minute for a route."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let text = session.invocation.argument("HOST") ?? ""
        let host: HostText
        do throws(HostText.Mistake) { host = try HostText(parsing: text) } catch {
            throw .usage(error.message.escapingControls, command: "target")
        }
        func answer(_ answer: TargetAnswer, _ reply: Reply) throws(CommandFailure) -> NetworkAnswer {
            // The word of a newer daemon is shown unchanged.
            let text = TargetText(answer: answer, word: reply.parameters["target"]?["reason"]?.stringValue)
            return NetworkAnswer(
                isReached: answer.target.status == .reachable, sentence: text.sentence,
                lines: text.lines(for: session.terminal), change: text.change(for: session.terminal),
                object: reply.rawParameter("target") ?? [])
        }
        let (name, port) = (host.host.description, host.port)
        let inquiry = NetworkInquiry(
            get: ReachabilityInterface.GetTarget(host: name, port: port),
            monitor: ReachabilityInterface.MonitorTarget(host: name, port: port), waiting: 10
        ) { (value, reply) throws(CommandFailure) in
            try answer(value, reply)
        } readChange: { (value, reply) throws(CommandFailure) in
            try answer(TargetAnswer(target: value.target, steps: []), reply)
        }
        try inquiry.run(session, command: "target")
    }
}
