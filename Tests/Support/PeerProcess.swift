import CLinux
import CTest
import Glibc
import Platform

/// A process that acts as a peer: it connects to a Unix socket, and waits until the test ends it.
///
/// As a separate process it can be another user, be in another control group, run another program, and die.
public final class PeerProcess {
    /// Its actions besides connecting.
    public struct Script {
        /// The user that connects.
        public var user: uid_t = geteuid()
        /// The folder of the control group that it enters first.
        public var controlGroup: String?
        /// The program that it executes after connecting.
        public var program: String?
        /// The program that it executes on request, with the socket's path as its argument. It holds its connection,
        /// and `control` is its standard input and output.
        public var laterProgram: String?
        /// Its arguments instead of the socket's path.
        public var laterArguments: [String]?
        /// Whether it passes its connection to the test.
        public var passesConnection = false

        /// Only connecting.
        public init() {}
    }

    /// Its number.
    public let processID: pid_t
    /// The connection that it passed to the test, or -1.
    public private(set) var passed: Int32 = -1
    /// The test's end of the control connection.
    public let control: Int32
    private var hasEnded = false

    /// Starts one and waits until it is connected.
    public init(connectingTo path: String, _ script: Script = Script()) throws(SystemError) {
        var pair: [Int32] = [-1, -1]
        try retrying("socketpair") {
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair)
        }
        control = pair[0]
        var peer = waymark_test_peer()
        peer.user = script.user
        peer.control = pair[1]
        peer.passes_socket = script.passesConnection ? 1 : 0
        peer.lives_seconds = 600
        let texts = [path, script.controlGroup.map { "\($0)/cgroup.procs" }, script.program, script.laterProgram].map {
            $0.map { strdup($0) }
        }
        peer.socket = texts[0].map { UnsafePointer($0) } ?? nil
        peer.cgroup_procs = texts[1].map { UnsafePointer($0) } ?? nil
        peer.then_exec = texts[2].map { UnsafePointer($0) } ?? nil
        peer.later_exec = texts[3].map { UnsafePointer($0) } ?? nil
        let words = script.laterArguments.map { [script.laterProgram ?? ""] + $0 }?.map { strdup($0) }
        defer { for word in words ?? [] { free(word) } }
        let started: (pid_t, Int32)
        if let words {
            started = (words + [nil]).withUnsafeBufferPointer { words in
                peer.later_arguments = words.baseAddress
                return (waymark_test_start_peer(&peer), errno)
            }
        } else {
            started = (waymark_test_start_peer(&peer), errno)
        }
        let code: Int32
        (processID, code) = started
        for text in texts { free(text ?? nil) }
        _ = close(pair[1])
        guard processID > 0 else {
            _ = close(control)
            throw SystemError("start a peer", code: code)
        }
        guard try PollDeadline(seconds: 60).poll(control, for: POLLIN) else {
            end()
            throw SystemError("wait for a peer", code: ETIMEDOUT)
        }
        var byte: UInt8 = 0
        guard waymark_receive_message(control, &byte, 1, &passed) == 1 else {
            end()
            throw SystemError("connect as a peer", code: ECONNREFUSED, subject: path)
        }
    }

    /// Makes it execute its later program, and waits until that program runs.
    ///
    /// During execve(2) the kernel changes the link first, and maps the code of the program a little later. A daemon that
    /// looks in between does not know the program.
    public func become() throws(SystemError) {
        let link = "/proc/\(processID)/exe"
        var (before, now) = (stat(), stat())
        try retrying("examine", subject: link) { stat(link, &before) }
        try retrying("command a peer") { write(control, "x", 1) }
        guard
            eventually({
                stat(link, &now) == 0 && (now.st_ino, now.st_dev) != (before.st_ino, before.st_dev) && self.isMapped
            })
        else {
            throw SystemError("wait for another program", code: ETIMEDOUT, subject: link)
        }
    }

    /// Whether code of its program is mapped, /proc/PID/maps of proc(5).
    private var isMapped: Bool {
        guard let program = LinkTarget.read("/proc/\(processID)/exe"),
            let maps = try? BoundedFile.bytes(of: "/proc/\(processID)/maps", limit: 1 << 20)
        else { return false }
        return String(decoding: maps, as: UTF8.self).split(separator: "\n").contains {
            $0.hasSuffix(" \(program)") && $0.contains(" r-xp ")
        }
    }

    /// Kills it and waits until nothing of it is left, its number included.
    public func end() {
        guard !hasEnded else { return }
        hasEnded = true
        _ = kill(processID, SIGKILL)
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        _ = close(control)
    }

    deinit {
        end()
        if passed >= 0 { _ = close(passed) }
    }
}
