import CLinux
import Glibc
import NetworkPaths

/// The program `waymark-resolver`: reads one name, writes its addresses, and exits.
///
/// It runs lookups for the daemon. The daemon knows all positions and therefore never talks to name servers
/// itself. This process has no privileges and a short time limit: malicious data from a name server can only end a
/// process that knew nothing but one name.
public enum ResolverProcess {
    /// The most seconds that the process may run.
    public static let mostSeconds: UInt32 = 5

    /// Reads a line from standard input, writes the result to standard output, and returns the exit code: 0 if the result
    /// was written, or if nobody reads it any more.
    public static func run() -> Int32 {
        limitItself()
        let answer: NameAnswer
        switch readLine(from: STDIN_FILENO).map({ HostName($0) }) {
        case .some(.some(let name)): answer = NameLookup.answer(for: name)
        case .some(.none): answer = .failed("not a host name")
        case .none: answer = .failed("expected a name of at most \(HostName.mostBytes) bytes in one line of UTF-8")
        }
        return write(Array(answer.text.utf8), to: STDOUT_FILENO) || isAbandoned ? 0 : 1
    }

    /// Whether a write has failed because the reader has closed its end, write(2), as the daemon does when it ends.
    private static var isAbandoned: Bool { errno == EPIPE || errno == ECONNRESET }

    private static func limitItself() {
        // A write to a closed connection is an error of that write.
        signal(SIGPIPE, SIG_IGN)
        // SIGALRM ends the process only if it is neither blocked nor ignored, and both settings are inherited.
        signal(SIGALRM, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGALRM)
        sigprocmask(SIG_UNBLOCK, &signals, nil)
        alarm(mostSeconds)
        // No core dump: a limit of one byte is less than a file needs, and the only value for which the kernel runs no
        // pipe handler, core(5).
        limit(__rlimit_resource_t(RLIMIT_CORE.rawValue), to: 1)
        limit(__rlimit_resource_t(RLIMIT_CPU.rawValue), to: UInt(mostSeconds))
        limit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), to: 64)
        waymark_give_up_capabilities()
        endWithReader()
    }

    /// Ends the process as soon as its result is not read any more: the daemon replaces an abandoned lookup with
    /// others, and many abandoned ones could accumulate. That is no failure: a daemon that restarts abandons its lookups,
    /// too, and a failed unit would be an alarm without a cause. If the watching thread cannot be started, the alarm still ends
    /// the process.
    private static func endWithReader() {
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { _ in
                // A pipe without a reader reports POLLERR, a closed socket POLLHUP, poll(2).
                var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
                while poll(&output, 1, -1) < 0, errno == EINTR {}
                _exit(0)
            }, nil)
        if code == 0 { pthread_detach(thread) }
    }

    private static func limit(_ resource: __rlimit_resource_t, to value: UInt) {
        var limit = rlimit(rlim_cur: value, rlim_max: value)
        // A lower limit that is already set cannot be raised, and need not be.
        setrlimit(resource, &limit)
    }

    /// The first line without its line feed, or everything up to the end of input; nil if it is longer than a name, or
    /// not UTF-8.
    static func readLine(from descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        // One byte more than a name with its dot and line feed.
        let most = HostName.mostBytes + 3
        while bytes.count < most, !bytes.contains(UInt8(ascii: "\n")) {
            var buffer = [UInt8](repeating: 0, count: most - bytes.count)
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        return line.count <= HostName.mostBytes + 1 ? String(validating: line, as: UTF8.self) : nil
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
