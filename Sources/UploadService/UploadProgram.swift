import CommandLineKit
import Destinations
import Glibc
import Interfaces
import Platform
import Upload

/// The uploader as a service: its file, its signals, and its notifications to systemd.
@DaemonActor
public final class UploadProgram: UploadObserver {
    private let options: UploadCommand.Options
    private let process: UploadProcess
    private var setup: UploadProcess.Setup
    private var signals: [SignalSource] = []
    private var clockChange: ClockChangeSource?
    private var status = "Starting."

    /// Runs the command line on this thread until a signal ends it.
    nonisolated public static func run(
        _ invocation: Invocation, makeCarrier: @escaping CarrierMaker
    ) -> ExitCode {
        let options = UploadCommand.Options(invocation)
        let file = DestinationFile(reading: options.file)
        if options.isCheck { return check(options, file) }
        Log.program = "waymark-upload"
        Log.level = options.logLevel
        guard file.problems.isEmpty else {
            for problem in file.problems { Log.error(problem.description) }
            Log.error("nothing was started. `waymark-upload --check \(options.name)` shows this again")
            // The same status as for an invalid command line: a restart would not help.
            return .usage
        }
        // The loop belongs to this thread from here on.
        EventLoop.main.adoptCurrentThread()
        return DaemonActor.assumeIsolated {
            do {
                let program = try UploadProgram(options, file.configuration, makeCarrier)
                try program.start()
                let code = EventLoop.main.run()
                withExtendedLifetime(program) {}
                return code == 0 ? .success : .failure
            } catch {
                Log.error("not started: \(error)")
                return .failure
            }
        }
    }

    nonisolated private static func check(_ options: UploadCommand.Options, _ file: DestinationFile) -> ExitCode {
        let check = UploadCheck(options.name, file, credentials: options.credentials)
        do throws(OutputError) {
            let output = Output()
            try output.lines(check.lines.flatMap(Terminal(descriptor: STDOUT_FILENO).wrapped))
            try output.flush()
            let complaints = Output(descriptor: STDERR_FILENO)
            let terminal = Terminal(descriptor: STDERR_FILENO)
            try complaints.lines(check.problems.flatMap { terminal.wrapped("waymark-upload: \($0)") })
            try complaints.flush()
        } catch {
            return error == .closed && check.problems.isEmpty ? .success : .failure
        }
        return check.problems.isEmpty ? .success : .failure
    }

    private init(
        _ options: UploadCommand.Options, _ configuration: UploadConfiguration, _ makeCarrier: @escaping CarrierMaker
    ) throws(SystemError) {
        self.options = options
        setup = UploadProcess.Setup(configuration, from: options.credentials)
        process = try UploadProcess(
            name: options.name, setup: setup, socketPath: options.socketPath, makeCarrier: makeCarrier)
    }

    private func start() throws(SystemError) {
        Output.ignoreBrokenPipes()
        signals = [
            try SignalSource(SIGTERM) { [weak self] in self?.stop(because: "SIGTERM") },
            try SignalSource(SIGINT) { [weak self] in self?.stop(because: "SIGINT") },
            try SignalSource(SIGHUP) { [weak self] in self?.reload() },
        ]
        clockChange = try ClockChangeSource { [weak self] change in
            self?.process.clockChanged(hasSlept: change.suspended > .zero)
        }
        // Positions are sent all the same.
        if case .unusable(let problems) = setup.regions { for problem in problems { Log.error(problem) } }
        process.observer = self
        process.start()
        try EventLoop.main.feedWatchdog()
        ServiceManager.notify(.ready(status: status))
        // Memory that was needed only at the start, mostly by libraries.
        ResidentMemory.releaseCleanPages()
    }

    /// Reports the status line to systemd.
    public func statusChanged(_ line: String) {
        status = line
        ServiceManager.notify(.status(line))
    }

    /// Reads the file and the credentials again. Errors are logged, and the earlier configuration remains in effect.
    private func reload() {
        ServiceManager.notify(.reloading)
        defer { ServiceManager.notify(.ready(status: status)) }
        let file = DestinationFile(reading: options.file)
        guard file.problems.isEmpty else {
            for problem in file.problems { Log.error("configuration not applied: \(problem)") }
            return
        }
        let setup = UploadProcess.Setup(file.configuration, from: options.credentials)
        if case .unusable(let problems) = setup.regions {
            for problem in problems { Log.error("configuration not applied: \(problem)") }
            return
        }
        self.setup = setup
        process.configure(setup)
        Log.notice("configuration read again")
        if setup.renewal.needsRestart, setup.credentials != Credentials() {
            Log.notice("the credentials are those of the start; to use others, \(setup.renewal.instruction)")
        }
    }

    /// Stops in order: transfers in flight get a short time, which a second signal ends.
    private func stop(because reason: String) {
        Log.notice("stopping: \(reason)")
        ServiceManager.notify(.stopping(status: "Stopping: \(reason)."))
        process.stop { EventLoop.main.stop() }
    }
}
