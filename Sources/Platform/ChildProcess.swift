import CLinux
import Glibc

/// A program that this process started and that never outlives this value.
///
/// The child gets no descriptor but the three standard ones, an empty signal mask and default signal actions. It is
/// watched through a pidfd, which an event loop can wait for. Nothing but this value may wait for the process.
///
/// Where this process crashes or is killed, a child is orphaned unless its launch is guarded. (PR_SET_PDEATHSIG does not
/// serve: it follows the thread that started the child, and is lost when the child changes its user.)
public final class ChildProcess {
    /// Where one of the child's standard streams goes.
    public enum Stream: Equatable, Sendable {
        /// Where this process's own goes.
        case inherited
        /// /dev/null.
        case null
        /// A pipe, whose near end does not block and is closed with the process value.
        case pipe
        /// An open descriptor of this process, which stays the caller's.
        case descriptor(Int32)
    }

    /// What to start and how.
    public struct Launch: Sendable {
        /// The program's path.
        public var path: String
        /// Its arguments, without the program's own name.
        public var arguments: [String]
        /// The whole environment; nil for a copy of this process's.
        public var environment: [String: String]?
        /// What it reads.
        public var input: Stream
        /// What it writes.
        public var output: Stream
        /// What it complains.
        public var error: Stream
        /// Whether it leads a process group of its own, so that signals reach what it starts, and Ctrl-C does not.
        public var ownsGroup: Bool
        /// Whether a small shell kills it when this process is gone, however it went.
        public var isGuarded: Bool

        /// A launch that reads and writes nothing, in a group of its own.
        public init(
            _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: Stream = .null,
            output: Stream = .null, error: Stream = .null, ownsGroup: Bool = true, isGuarded: Bool = false
        ) {
            self.path = path
            self.arguments = arguments
            self.environment = environment
            self.input = input
            self.output = output
            self.error = error
            self.ownsGroup = ownsGroup
            self.isGuarded = isGuarded
        }
    }

    /// The process's number, valid until its status is collected.
    public let processID: pid_t
    /// What was started.
    public let launch: Launch
    /// The near ends of the pipes: write to the first, read from the others; -1 where the stream is no pipe.
    public let inputPipe, outputPipe, errorPipe: Int32
    private let pidfd: OwnedDescriptor
    private var status: ExitStatus?
    private var isInputOpen = true
    /// Reads a pipe whose other end is here, and kills the child at its end.
    private(set) var guardian: ChildProcess?

    /// Starts the program. The error names the path: ENOENT where there is none.
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

    /// Becomes readable when the process has ended: for poll(2).
    public var exitDescriptor: Int32 { pidfd.number }

    /// How the process ended; nil while it runs.
    public func exitStatus() throws(SystemError) -> ExitStatus? {
        if let status { return status }
        guard try PollDeadline(seconds: 0).poll(exitDescriptor, for: POLLIN) else { return nil }
        return try collect()
    }

    /// Waits until the process has ended; nil where it still runs after so many seconds.
    public func wait(seconds: Double) throws(SystemError) -> ExitStatus? {
        let deadline = PollDeadline(seconds: seconds)
        while try exitStatus() == nil {
            guard try deadline.poll(exitDescriptor, for: POLLIN) else { return try exitStatus() }
        }
        return status
    }

    /// Sends a signal to the process, and to its group where it has its own. Nothing happens where it has ended.
    public func signal(_ number: Int32) {
        guard status == nil else { return }
        // The number cannot have been given to another process: until its status is collected the kernel keeps it.
        _ = kill(launch.ownsGroup ? -processID : processID, number)
    }

    /// Tells the child that there is no more to read.
    public func closeInput() {
        if isInputOpen, inputPipe >= 0 { _ = close(inputPipe) }
        isInputOpen = false
    }

    /// Ends the process and everything left in its group: SIGTERM, up to so many seconds for it to go, then SIGKILL.
    @discardableResult
    public func terminate(graceSeconds: Double = 5) throws(SystemError) -> ExitStatus {
        if let status { return status }
        // In this order: SIGCONT also takes back a SIGSTOP, by which a leak checker may just hold a process that ends.
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

    /// Takes the status of a process that has ended or was killed, and ends what it left in its group. The guardian goes
    /// first: once the status is collected the number may be another process's.
    private func collect() throws(SystemError) -> ExitStatus {
        guardian = nil
        if launch.ownsGroup { _ = kill(-processID, SIGKILL) }
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
