import CommandLineKit
import Durations
import Glibc
import Interfaces
import Platform
import Varlink

/// `waymark regions on`: runs a command for each event, and acknowledges the event when the command has succeeded.
struct RegionCommandRun {
    let session: Session

    init(_ session: Session) { self.session = session }

    func run() throws(CommandFailure) {
        guard let target = RegionTarget(session) else { return }
        let command = session.invocation.trailing
        guard let program = command.first else {
            throw .usage("The command to run is missing: -- COMMAND.", command: "regions on")
        }
        // A mistake in its name is reported at once, and not at the first event.
        guard let path = program.contains("/") ? program : ExecutableSearch.find(program) else {
            throw .failed("CommandMissing", "There is no program \(program).")
        }
        guard access(path, X_OK) == 0 else {
            throw .failed("CommandMissing", "\(path) cannot be started: \(SystemError("start", subject: path)).")
        }
        let choice = session.invocation.text("on-failure").flatMap(FailurePolicy.Choice.init) ?? .retry
        var runner = EventRunner(
            session: session, monitor: target.monitor, path: path, arguments: Array(command.dropFirst()),
            choice: EventChoice(session.invocation.has, region: target.region), policy: FailurePolicy(choice),
            timeout: RegionTime.given("timeout", session), interruption: try session.interruption())
        try runner.run(comesBack: !session.invocation.has("no-reconnect"))
    }
}

/// Reads the events of a monitor in order, and runs a command for those of the choice.
private struct EventRunner {
    let session: Session
    let monitor: String
    let path: String
    let arguments: [String]
    let choice: EventChoice
    var policy: FailurePolicy
    /// Seconds after which the command has failed; nil for none.
    let timeout: Double?
    let interruption: Interruption
    /// The last event that was handled, which the daemon need not send again.
    private var handled: Int64 = 0
    /// Whether that one is acknowledged.
    private var isAcknowledged = true
    /// The exit code for a signal that arrived while a command ran.
    private var interrupted: ExitCode?

    init(
        session: Session, monitor: String, path: String, arguments: [String], choice: EventChoice,
        policy: FailurePolicy, timeout: Double?, interruption: Interruption
    ) {
        self.session = session
        self.monitor = monitor
        self.path = path
        self.arguments = arguments
        self.choice = choice
        self.policy = policy
        self.timeout = timeout
        self.interruption = interruption
    }

    mutating func run(comesBack: Bool) throws(CommandFailure) {
        let stream = try PatientStream(
            session, RegionsInterface.Monitor(monitor: monitor), comesBack: comesBack, until: interruption)
        session.remarks.hint("Waiting for events of \(monitor) until Ctrl-C.")
        while true {
            // Events that run nothing are acknowledged together, when no other event is there.
            switch try stream.next(timeout: isAcknowledged ? nil : .zero) {
            case .reply(let reply):
                let event = reply.event
                guard event.sequence > handled else { continue }
                try handle(event)
                stream.method = RegionsInterface.Monitor(monitor: monitor, after: handled)
            case .nothing: try acknowledge()
            case .lost, .expired: continue
            }
        }
    }

    private mutating func handle(_ event: RegionsInterface.Event) throws(CommandFailure) {
        if event.kind == .overflowed {
            session.remarks.say("waymark: \(monitor): \(RegionEventText.sentence(event)).")
        }
        if choice.contains(kind: event.kind.rawValue, region: event.region) {
            let text = RegionEventText(terminal: session.remarks.terminal, namesMonitor: true)
            session.remarks.hint(text.line(event, of: monitor))
            policy.reset()
            try runUntilDone(event)
            handled = event.sequence
            try acknowledge()
            // A command that has succeeded all the same must not run again.
            if let interrupted { throw .ended(interrupted) }
        } else {
            handled = event.sequence
            isAcknowledged = false
        }
    }

    /// Runs the command until it has succeeded, or the event is skipped.
    private mutating func runUntilDone(_ event: RegionsInterface.Event) throws(CommandFailure) {
        while let failure = try runOnce(event) {
            if let interrupted { throw .ended(interrupted) }
            let subject = "waymark: \(path), for event \(event.sequence) of \(monitor), \(failure)."
            switch policy.failed() {
            case .retry(let seconds):
                session.remarks.say("\(subject) It is run again in \(Measure.age(Double(seconds))).")
                try interruption.pause(.seconds(seconds))
            case .skip:
                session.remarks.say("\(subject) The event is skipped.")
                return
            case .stop:
                throw .failed(
                    "CommandFailed",
                    "\(path), for event \(event.sequence) of \(monitor), \(failure). The event is not acknowledged.")
            }
        }
    }

    /// Runs the command once; returns how it failed, nil if it has succeeded.
    private mutating func runOnce(_ event: RegionsInterface.Event) throws(CommandFailure) -> String? {
        let environment = EventEnvironment(event, monitor: monitor, socketPath: session.socketPath)
        let command = EventCommand(
            path: path, arguments: arguments, environment: environment.applied(to: EventEnvironment.ofThisProcess),
            timeout: timeout)
        do throws(SystemError) {
            let outcome = try command.run(until: interruption) {
                session.remarks.say(
                    "waymark: \(path), for event \(event.sequence) of \(monitor), has been running for"
                        + " \(Measure.age(EventCommand.longRun)). Later events wait for it.")
            }
            switch outcome {
            case .succeeded: return nil
            case .failed(let failure): return failure
            case .interrupted(let code, let hasSucceeded):
                interrupted = code
                return hasSucceeded ? nil : "was ended"
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Acknowledges what was handled. Without a daemon it is tried again: nothing else can be done until there is one.
    private mutating func acknowledge() throws(CommandFailure) {
        var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(2))
        while true {
            do throws(VarlinkError) {
                _ = try session.daemon.attempt(RegionsInterface.Acknowledge(monitor: monitor, upTo: handled))
                isAcknowledged = true
                return
            } catch {
                guard error.isNobodyThere || error == .closed || error == .timedOut else {
                    throw CommandFailure(error, socketPath: session.socketPath)
                }
            }
            try interruption.pause(pause.nextAtRandom())
        }
    }
}
