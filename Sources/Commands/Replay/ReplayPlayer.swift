import CommandLineKit
import Glibc
import Interfaces
import Platform
import Replay

/// Plays a recording and shows the positions, in one loop over the pseudo-terminal of gpsd, the daemon's replies, the
/// ends of all processes started, and Ctrl-C.
struct ReplayPlayer {
    private let session: Session
    private let replay: ReplaySession
    private let daemon: PrivateDaemon
    private let interruption: Interruption
    private let feed: PositionFeed
    private var display: PositionDisplay
    private var child: ChildProcess?

    /// The time without a position after the end of the recording after which the last position must have arrived.
    private static let quietNanoseconds: UInt64 = 1_000_000_000

    /// Subscribes to the daemon, and waits until it watches gpsd, so that the beginning of the recording is not missed.
    init(
        _ session: Session, _ replay: ReplaySession, _ daemon: PrivateDaemon, _ interruption: Interruption
    ) throws(CommandFailure) {
        self.session = session
        self.replay = replay
        self.daemon = daemon
        self.interruption = interruption
        try daemon.waitUntilListening(interruption)
        let hasCommand = !session.invocation.trailing.isEmpty
        display = PositionDisplay(
            session, try Preferences(session), isQuiet: session.invocation.has("quiet") || hasCommand)
        feed = try PositionFeed(
            session, MonitorRequest(), interruption, socketPath: daemon.socketPath, comesBack: false)
        try waitUntilWatching()
    }

    private func waitUntilWatching() throws(CommandFailure) {
        let clock = SystemClock()
        let end = clock.monotonicNanoseconds + 10_000_000_000
        while clock.monotonicNanoseconds < end {
            try daemon.check()
            _ = try feed.next(timeout: .milliseconds(20))
            let status = try DaemonLink(socketPath: daemon.socketPath).call(ManageInterface.Status()).status
            if status.receiver.state == .watching { return }
        }
        throw .failed("NotReady", "The private daemon could not reach the private gpsd.")
    }

    /// Plays to the end of the recording, or of the command.
    mutating func play(_ command: [String]) throws(CommandFailure) {
        if !command.isEmpty { child = try start(command) }
        defer { stopChild() }
        var lastNews = session.clock.monotonicNanoseconds
        while true {
            // Checked first: Ctrl-C also ends the command, which is then no failure of its own.
            if let code = interruption.received() { throw .ended(code) }
            try daemon.check()
            if try childHasEnded() { return }
            let hasMore = try step()
            while let item = try feed.next(timeout: .zero) {
                try display.show(item)
                lastNews = session.clock.monotonicNanoseconds
            }
            display.timePassed()
            if hasMore {
                lastNews = session.clock.monotonicNanoseconds
                showProgress()
            } else if session.clock.monotonicNanoseconds - lastNews > Self.quietNanoseconds {
                return
            }
            wait(milliseconds: hasMore ? replay.timeoutMilliseconds : 100)
        }
    }

    private func step() throws(CommandFailure) -> Bool {
        do throws(ReplayError) { return try replay.step() } catch { throw CommandFailure(error) }
    }

    /// Sleeps until an event occurs. poll(2).
    private func wait(milliseconds: Int32) {
        var requests = replay.descriptors
        var watched = [interruption.descriptor, daemon.exitDescriptor]
        if let descriptor = feed.descriptor { watched.append(descriptor) }
        if let child { watched.append(child.exitDescriptor) }
        requests += watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // All sources are checked afterwards, whether it was interrupted or not.
        _ = poll(&requests, nfds_t(requests.count), milliseconds)
    }

    private func showProgress() {
        guard child == nil, display.isQuiet || !session.terminal.isTerminal else { return }
        let progress = replay.feeder.progress
        let passes = progress.passes > 0 ? ", pass \(progress.passes + 1)" : ""
        session.remarks.progress(
            "\(progress.sentence) of \(progress.sentences) sentences, \(Measure.count(display.count, "position"))\(passes)"
        )
    }

    private func start(_ command: [String]) throws(CommandFailure) -> ChildProcess {
        let program = command[0]
        guard let path = program.contains("/") ? program : ExecutableSearch.find(program) else {
            throw .failed("CommandMissing", "There is no program \(program).")
        }
        do throws(SystemError) {
            return try ChildProcess(
                ChildProcess.Launch(
                    path, Array(command.dropFirst()),
                    environment: ProcessEnvironment.all(with: [WaymarkSocket.environmentVariable: daemon.socketPath]),
                    input: .inherited, output: .inherited, error: .inherited,
                    ownsGroup: false))
        } catch {
            throw CommandFailure(error)
        }
    }

    private func childHasEnded() throws(CommandFailure) -> Bool {
        do throws(SystemError) {
            guard let child, let status = try child.exitStatus() else { return false }
            if status.isSuccess { return true }
            throw SystemError("", subject: "\(child.launch.path) \(status)")
        } catch {
            guard error.operation.isEmpty else { throw CommandFailure(error) }
            // The end of the program may be noticed before the signal that both have received.
            try interruption.pause(.milliseconds(50))
            throw .failed("CommandFailed", "\(error.subject).")
        }
    }

    private func stopChild() {
        do throws(SystemError) { try child?.terminate(graceSeconds: 5) } catch {
            // A process that did not stop is killed when the value is deinitialized.
            return
        }
    }
}
