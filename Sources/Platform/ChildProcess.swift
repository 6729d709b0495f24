import CLinux
import Glibc

/// A program that this process started, and that is ended with this value at the latest.
///
/// The child gets only the three standard descriptors, an empty signal mask and default signal actions. It is watched
/// through a pidfd, which an event loop can wait for. Only this value may wait for the process.
///
/// If this process crashes or is killed, a child is orphaned unless its launch is guarded. (PR_SET_PDEATHSIG is not
/// sufficient: it applies to the thread that started the child, and is lost when the child changes its user.)
public final class ChildProcess {
    /// The source or destination of one of the child's standard streams.
    public enum Stream: Equatable, Sendable {
        /// The same as this process's own.
        case inherited
        /// /dev/null.
        case null
        /// A pipe. Its end in this process does not block and is closed with the `ChildProcess` value.
        case pipe
        /// An open descriptor of this process, which remains the caller's.
        case descriptor(Int32)
    }

    /// What to start, and with which streams and environment.
    public struct Launch: Sendable {
        /// The program's path.
        public var path: String
        /// Its arguments, without the program's own name.
        public var arguments: [String]
        /// The whole environment; nil for a copy of this process's.
        public var environment: [String: String]?
        /// Standard input.
        public var input: Stream
        /// Standard output.
        public var output: Stream
        /// Standard error.
        public var error: Stream
        /// Whether it leads a process group of its own, so that signals reach its own children too, and Ctrl-C does
        /// not.
        public var ownsGroup: Bool
        /// Whether the rest of its own group goes on when it has ended by itself.
        public var leavesGroup: Bool
        /// Whether a small shell kills it when this process ends for any reason.
        public var isGuarded: Bool

        /// A launch without input and output, in a process group of its own.
        public init(
            _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: Stream = .null,
            output: Stream = .null, error: Stream = .null, ownsGroup: Bool = true, leavesGroup: Bool = false,
            isGuarded: Bool = false
        ) {
            self.path = path
            self.arguments = arguments
            self.environment = environment
            self.input = input
            self.output = output
            self.error = error
            self.ownsGroup = ownsGroup
            self.leavesGroup = leavesGroup
            self.isGuarded = isGuarded
        }
    }

    /// The process's number, valid until its status is collected.
    public let processID: pid_t
    /// What was started.
    public let launch: Launch
    /// This process's ends of the pipes: write to the first, read from the others; -1 if the stream is no pipe.
    public let inputPipe, outputPipe, errorPipe: Int32
    private let pidfd: OwnedDescriptor
    private var status: ExitStatus?
    private var isInputOpen = true
    /// A shell that reads from a pipe of this process, and kills the child when the pipe is closed.
    private(set) var guardian: ChildProcess?

    /// Starts the program. The error contains the path, for example ENOENT if there is none.
    public init(_ launch: Launch) throws(SystemError) {
        let streams = try ChildStreams(launch)
        let pid = try streams.spawn(launch)
        let pidfd = waymark_pidfd_open(pid)
        guard pidfd >= 0 else {
            let error = SystemError("watch", subject: launch.path)
            _ = kill(pid, SIGKILL)
            _ = waitpid(pid, nil, 0)
            throw error
        }
        self.launch = launch
        self.processID = pid
        self.pidfd = OwnedDescriptor(adopting: pidfd)
        (inputPipe, outputPipe, errorPipe) = streams.release()
        guard launch.isGuarded else { return }
        let target = launch.ownsGroup ? "-\(pid)" : "\(pid)"
        guardian = try ChildProcess(
            Launch("/bin/sh", ["-c", "read -r line; kill -s KILL -- \"$1\"", "guardian", target], input: .pipe))
    }

    /// Becomes readable when the process has ended; for poll(2).
    public var exitDescriptor: Int32 { pidfd.number }

    /// How the process ended; nil while it is running.
    public func exitStatus() throws(SystemError) -> ExitStatus? {
        if let status { return status }
        guard try PollDeadline(seconds: 0).poll(exitDescriptor, for: POLLIN) else { return nil }
        return try collect()
    }

    /// Waits until the process has ended; nil if it is still running after this many seconds.
    public func wait(seconds: Double) throws(SystemError) -> ExitStatus? {
        let deadline = PollDeadline(seconds: seconds)
        while try exitStatus() == nil {
            guard try deadline.poll(exitDescriptor, for: POLLIN) else { return try exitStatus() }
        }
        return status
    }

    /// Sends a signal to the process, and to its group if it has its own. Without effect if the process has ended.
    public func signal(_ number: Int32) {
        guard status == nil else { return }
        // The number cannot belong to another process: the kernel reserves it until the status is collected.
        _ = kill(launch.ownsGroup ? -processID : processID, number)
    }

    /// Closes the child's input, so that it reads the end of the file.
    public func closeInput() {
        if isInputOpen, inputPipe >= 0 { _ = close(inputPipe) }
        isInputOpen = false
    }

    /// Ends the process and all others in its group: SIGTERM, then SIGKILL after the grace period in seconds.
    @discardableResult
    public func terminate(graceSeconds: Double = 5) throws(SystemError) -> ExitStatus {
        if let status { return status }
        // In this order: SIGCONT also reverses a SIGSTOP, with which a leak checker may have stopped the ending
        // process.
        signal(SIGCONT)
        signal(SIGTERM)
        let deadline = PollDeadline(seconds: graceSeconds)
        _ = try deadline.poll(exitDescriptor, for: POLLIN)
        return try killNow()
    }

    private func killNow() throws(SystemError) -> ExitStatus {
        if let status { return status }
        signal(SIGKILL)
        return try collect()
    }

    /// Collects the status of a process that has ended or was killed, and ends the rest of its group unless it may go on. The guardian is
    /// ended first: once the status is collected, the number may belong to another process.
    private func collect() throws(SystemError) -> ExitStatus {
        guardian = nil
        if launch.ownsGroup, !launch.leavesGroup { _ = kill(-processID, SIGKILL) }
        var raw: Int32 = 0
        let pid = processID
        try retrying("wait for", subject: launch.path) { waitpid(pid, &raw, 0) }
        let status = ExitStatus(waitStatus: raw)
        self.status = status
        return status
    }

    deinit {
        if status == nil {
            guardian = nil
            signal(SIGKILL)
            while waitpid(processID, nil, 0) < 0, errno == EINTR {}
        }
        closeInput()
        if outputPipe >= 0 { _ = close(outputPipe) }
        if errorPipe >= 0 { _ = close(errorPipe) }
    }
}
