import CommandLineKit
import Glibc
import Interfaces
import Platform
import Varlink

/// `waymark status`: the state of the daemon.
enum StatusCommand {
    static let command = Command(
        "status", "show the state of the daemon, its receiver and its journal",
        discussion: [
            "The first line says in a sentence whether there are positions, or why not. No position is shown.",
            "Needs an operator: root, the daemon's own user, or a member of the operators' group.",
        ],
        options: [
            CommonOptions.json, Option("watch", short: "w", "continue, and show every change"),
            CommonOptions.noReconnect, Units.option,
        ],
        examples: [
            Command.Example("waymark status", "Once, for a person."),
            Command.Example("waymark status --json --watch", "One JSON object a line, whenever something changes."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let units = try Preferences(session).units
        guard session.invocation.has("watch") else {
            let reply = try session.daemon.call(ManageInterface.Status())
            try show(reply.status, try reply.bytes(of: "status"), session, units)
            UsersCommand.warn(session)
            return try GPSDCommand.warn(session)
        }
        let interruption = try session.interruption()
        if session.terminal.canRedraw, !session.isJSON { return try redraw(session, interruption, units) }
        let stream = try PatientStream(
            session, ManageInterface.Monitor(), comesBack: !session.invocation.has("no-reconnect"),
            until: interruption)
        while true {
            if case .reply(let reply) = try stream.next() {
                try show(reply.status, try reply.bytes(of: "status"), session, units)
            }
        }
    }

    /// Requests the status every second: the stream reports changes only, and the ages on the screen should advance.
    private static func redraw(
        _ session: Session, _ interruption: Interruption, _ units: Units
    ) throws(CommandFailure) {
        var redrawing = Redrawing()
        var pause = DoublingPause(first: .seconds(1), longest: .seconds(4))
        var isLost = false
        var reply = try session.daemon.call(ManageInterface.Status())
        while true {
            do throws(VarlinkError) {
                reply = try session.daemon.attempt(ManageInterface.Status())
                isLost = false
                pause.reset()
            } catch {
                guard error.isNobodyThere || error == .closed, !session.invocation.has("no-reconnect") else {
                    throw CommandFailure(error, socketPath: session.socketPath)
                }
                if !isLost { session.remarks.say("The Waymark daemon is unavailable. Reconnecting.") }
                isLost = true
                try interruption.pause(pause.nextAtRandom())
                continue
            }
            // Measured again each time, because a window's size can change.
            let terminal = Terminal(descriptor: STDOUT_FILENO)
            session.output.text(redrawing.frame(lines(reply.status, session, terminal, units), for: terminal))
            try session.flush()
            try interruption.pause(.seconds(1))
        }
    }

    private static func show(
        _ status: DaemonStatus, _ bytes: [UInt8], _ session: Session, _ units: Units
    ) throws(CommandFailure) {
        if session.isJSON { return try session.print(json: bytes) }
        try session.print(lines(status, session, session.terminal, units))
    }

    private static func lines(
        _ status: DaemonStatus, _ session: Session, _ terminal: Terminal, _ units: Units
    ) -> [String] {
        let now = Double(session.clock.utcMicroseconds) / 1e6
        return StatusText(status: status, now: now, terminal: terminal, units: units).lines
    }
}
