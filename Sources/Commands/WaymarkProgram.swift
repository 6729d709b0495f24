import CommandLineKit
import Glibc
import Interfaces
import Platform

/// The program `waymark`: its commands and their execution.
public enum WaymarkProgram {
    /// The whole command line.
    public static let command = Command(
        "waymark", "this machine's position, and the service that knows it",
        discussion: [
            "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the daemon does not run, 4 not allowed, 5 no position,"
                + " 6 not reachable, 130 interrupted by Ctrl-C, 143 by SIGTERM. With --json an error is an object with error and message.",
            "Colours are used on a terminal only, and not where NO_COLOR is set. Where the locale's character set is"
                + " not UTF-8, text is ASCII; JSON and files are unaffected.",
            "--version shows release and protocol of this program, and of the daemon at the socket. A feature that only"
                + " the newer of the two supports is refused, with a sentence that names the one to update.",
        ],
        options: [
            Option(
                "socket", Value("PATH", .file),
                "where the daemon listens (default \(WaymarkSocket.environmentVariable), then"
                    + " \(WaymarkSocket.defaultPath))", isGlobal: true)
        ],
        examples: [
            Command.Example("waymark get", "Where am I?"),
            Command.Example("waymark doctor", "Why is there no position?"),
            Command.Example("waymark path", "Is there a network?"),
        ],
        subcommands: entries.map(\.command), groups: groups)

    /// The groups of the commands, in the order of the help.
    private static let groups = [
        Command.Group("Positions", manual: "waymark-positions", ["watch", "get", "heading", "visits", "satellites"]),
        Command.Group("Regions", manual: "waymark-regions", ["regions"]),
        Command.Group(
            "The daemon", manual: "waymark-status", ["status", "doctor", "log", "config", "metrics"]),
        Command.Group("The network", manual: "waymark-network", ["path", "target"]),
        Command.Group("Recordings", manual: "waymark-recording", ["recording", "export"]),
        Command.Group("Data protection", manual: "waymark-protection", ["protection", "lock", "unlock"]),
        Command.Group("Synchronized records", manual: "waymark-sync", ["sync", "join", "leave"]),
        Command.Group("Uploads", manual: "waymark-uploads", ["uploads", "upload-test-server"]),
        Command.Group(
            "Apps", manual: "waymark-apps",
            [
                "apps", "authorize", "reset", "services", "report", "reduced", "manifest", "restrictions", "users",
                "tracking", "waking",
            ]),
        Command.Group(
            "Prompts", manual: "waymark-agent", ["agent", "requests", "answer", "screen"]),
        Command.Group("gpsd", manual: "waymark-gpsd", ["gpsd"]),
        Command.Group("Recorded receivers", manual: "waymark-replay", ["replay"]),
    ]

    /// A subcommand and its function.
    private struct Entry: Sendable {
        let command: Command
        let run: @Sendable (Session) throws(CommandFailure) -> Void
    }

    private static let entries: [Entry] = [
        Entry(command: StatusCommand.command, run: StatusCommand.run),
        Entry(command: WatchCommand.command, run: WatchCommand.run),
        Entry(command: GetCommand.command, run: GetCommand.run),
        Entry(command: HeadingCommand.command, run: HeadingCommand.run),
        Entry(command: SatellitesCommand.command, run: SatellitesCommand.run),
        Entry(command: VisitsCommand.command, run: VisitsCommand.run),
        Entry(command: RegionsCommand.command, run: RegionsCommand.run),
        Entry(command: PathCommand.command, run: PathCommand.run),
        Entry(command: TargetCommand.command, run: TargetCommand.run),
        Entry(command: LogCommand.command, run: LogCommand.run),
        Entry(command: ExportCommand.command, run: ExportCommand.run),
        Entry(command: RecordingCommand.command, run: RecordingCommand.run),
        Entry(command: ProtectionCommand.command, run: ProtectionCommand.run),
        Entry(command: LockCommand.lock, run: LockCommand.run),
        Entry(command: LockCommand.unlock, run: LockCommand.run),
        Entry(command: SyncCommand.command, run: SyncCommand.run),
        Entry(command: JoinCommand.join, run: JoinCommand.runJoin),
        Entry(command: JoinCommand.leave, run: JoinCommand.runLeave),
        Entry(command: AgentCommand.command, run: AgentCommand.run),
        Entry(command: ReplayCommand.command, run: ReplayCommand.run),
        Entry(command: UploadsCommand.command, run: UploadsCommand.run),
        Entry(command: UploadTestServerCommand.command, run: UploadTestServerCommand.run),
        Entry(command: DoctorCommand.command, run: DoctorCommand.run),
        Entry(command: GPSDCommand.command, run: GPSDCommand.run),
        Entry(command: AppsCommand.command, run: AppsCommand.run),
        Entry(command: AuthorizeCommand.command, run: AuthorizeCommand.run),
        Entry(command: ResetCommand.command, run: ResetCommand.run),
        Entry(command: ServicesCommand.command, run: ServicesCommand.run),
        Entry(command: RequestsCommand.command, run: RequestsCommand.run),
        Entry(command: AnswerCommand.command, run: AnswerCommand.run),
        Entry(command: UsersCommand.command, run: UsersCommand.run),
        Entry(command: ReportCommand.command, run: ReportCommand.run),
        Entry(command: TrackingCommand.command, run: TrackingCommand.run),
        Entry(command: WakingCommand.command, run: WakingCommand.run),
        Entry(command: ScreenCommand.command, run: ScreenCommand.run),
        Entry(command: ReducedCommand.command, run: ReducedCommand.run),
        Entry(command: ManifestCommand.command, run: ManifestCommand.run),
        Entry(command: RestrictionsCommand.command, run: RestrictionsCommand.run),
        Entry(command: ConfigCommand.command, run: ConfigCommand.run),
        Entry(command: MetricsCommand.command, run: MetricsCommand.run),
        Entry(command: CompletionCommand.command, run: CompletionCommand.run),
    ]

    /// Runs the command of this process's arguments, and returns the exit code.
    public static func run() -> ExitCode { run(Array(CommandLine.arguments.dropFirst())) }

    /// Runs the program `waymark-agent`: `waymark agent` with this process's arguments.
    public static func runAgent() -> ExitCode {
        run([AgentCommand.command.name] + CommandLine.arguments.dropFirst(), isAgentProgram: true)
    }

    private static func run(_ arguments: [String], isAgentProgram: Bool = false) -> ExitCode {
        Output.ignoreBrokenPipes()
        if arguments.contains("--json"), let code = reportMistake(in: arguments) { return code }
        switch command.start(arguments: arguments, version: WaymarkVersion.described, besides: ReleaseText.ofDaemon) {
        case .end(let code): return code
        case .run(let invocation): return run(Session(invocation, isAgentProgram: isAgentProgram))
        }
    }

    /// Prints an error in the arguments as an object, for a program that requested JSON; nil without an error.
    private static func reportMistake(in arguments: [String]) -> ExitCode? {
        do throws(UsageError) {
            _ = try command.parse(arguments)
            return nil
        } catch {
            let failure = CommandFailure.failed("Usage", error.description, .usage)
            let output = Output()
            do throws(OutputError) {
                try output.line(failure.json ?? [])
                try output.flush()
            } catch {
                return .usage
            }
            return .usage
        }
    }

    private static func run(_ session: Session) -> ExitCode {
        let path = session.invocation.path
        guard path.count > 1, let entry = entries.first(where: { $0.command.name == path[1] }) else { return .usage }
        do throws(CommandFailure) {
            try entry.run(session)
            return .success
        } catch {
            return report(error, session)
        }
    }

    /// Prints a failure: as an object on standard output for programs, as a sentence on standard error for people.
    private static func report(_ failure: CommandFailure, _ session: Session) -> ExitCode {
        session.remarks.endProgress()
        guard case .failed(_, let message, let code) = failure else {
            // Ends the line of the ^C that the terminal has echoed, so that the shell's prompt begins a new one.
            if failure == .ended(.interrupted), session.remarks.terminal.isTerminal { session.remarks.say("") }
            return failure.code
        }
        guard session.isJSON, let json = failure.json else {
            session.remarks.say("waymark: \(message)")
            return code
        }
        do throws(CommandFailure) {
            try session.print(json: json)
        } catch {
            // The output itself may have failed.
            session.remarks.say("waymark: \(message)")
        }
        return code
    }
}
