import CTest
import Glibc
import Platform

/// A network for one test, network_namespaces(7): initially a loopback interface, and then the interfaces that `ip`
/// adds. It needs root.
///
/// It has no name that could be left over: a process holds it, which ends with the value, and with the test if that
/// crashes. Other programs started in it hold it until they end. Its programs see an /etc of their own, with a name
/// server and hosts of its own, and a /sys that shows its own interfaces.
public final class PrivateNetwork {
    /// Something could not be done in it.
    public struct Failure: Error, CustomStringConvertible {
        /// The failed step, and the program's output.
        public let description: String

        init(description: String) { self.description = description }

        init(_ step: String, _ result: CompletedProcess) {
            let end = result.timedOut ? "ended after its time limit" : "\(result.status)"
            description = "\(step): \(end) \(result.output)\(result.error)"
        }
    }

    private let directory: TemporaryDirectory
    private let holder: ChildProcess
    private let descriptor: OwnedDescriptor
    private var hasPrograms = false
    private var batches: [String: IPBatch] = [:]

    /// Makes one. Addresses of version 6 are ready at once, without looking for duplicates, and stay when their
    /// interface goes down; nobody listens to routers.
    public init() throws {
        directory = try TemporaryDirectory()
        let path = directory.path
        try retrying("chmod", subject: path) { chmod(path, 0o755) }
        let script = """
            mkdir etc programs
            mount --bind /etc etc
            mount -t tmpfs -o mode=755 tmpfs /etc
            ln -s "$PWD"/etc/* /etc
            rm -f /etc/hosts /etc/resolv.conf
            cp etc/hosts /etc
            : >/etc/resolv.conf
            mount -t sysfs sysfs /sys
            ip link set lo up
            echo ready
            exec cat
            """
        holder = try ChildProcess(
            ChildProcess.Launch(
                "/usr/bin/unshare",
                ["--net", "--mount", "--propagation", "private", "/bin/sh", "-ec", "cd \"$0\"; \(script)", path],
                input: .pipe, output: .pipe, error: .inherited, isGuarded: true))
        var byte: UInt8 = 0
        guard try PollDeadline(seconds: 60).poll(holder.outputPipe, for: POLLIN),
            read(holder.outputPipe, &byte, 1) == 1
        else { throw Failure(description: "no network namespace can be made") }
        let file = "/proc/\(holder.processID)/ns/net"
        descriptor = try OwnedDescriptor("open", subject: file) { open(file, O_RDONLY | O_CLOEXEC) }
        for interface in ["all", "default", "lo"] {
            for (setting, value) in [("accept_dad", "0"), ("accept_ra", "0"), ("keep_addr_on_down", "1")] {
                try set("net/ipv6/conf/\(interface)/\(setting)", value)
            }
        }
    }

    /// Whether this process can make one, with interfaces in it.
    public static let isPossible: Bool = {
        guard geteuid() == 0, Capability.administer.isHeld else { return false }
        do {
            try PrivateNetwork().ip("link add pair0 type veth peer name pair1")
            return true
        } catch {
            return false
        }
    }()

    /// The number of the process that holds it, for `ip link set … netns`.
    public var processID: pid_t { holder.processID }

    /// Runs a command of ip(8), in some 30 µs, and returns its output: `link set eth0 up`, `-6 rule add prohibit`.
    ///
    /// Do not use `link show`, after which ip(8) shows links also for addresses; `address show` shows both.
    @discardableResult
    public func ip(_ command: String) throws -> String {
        let words = command.split(separator: " ", maxSplits: 1)
        let family = ["-4", "-6"].contains(words.first) ? String(words[0]) : ""
        let batch = try batches[family] ?? IPBatch(in: self, family: family)
        // Not after a failure, when the process may have ended.
        batches[family] = nil
        let output = try batch.perform(family.isEmpty ? command : String(words.last ?? ""))
        batches[family] = batch
        // ip(8) never queries the index of an interface's name again.
        if IPBatch.changesNames(command) { forgetInterfaces() }
        return output
    }

    /// Runs commands of ip(8) one after the other, up to the first failure.
    public func ip(_ commands: [String]) throws {
        for command in commands { try ip(command) }
    }

    /// Runs a command of ip(8) that may fail, and returns whether it succeeded.
    public func ipCan(_ command: String) throws -> Bool {
        do { try ip(command) } catch is Failure { return false }
        return true
    }

    /// Runs the lines of a text in ip(8) as fast as possible; all of them have to succeed.
    public func batch(_ text: String) throws {
        let result = try run("/bin/ip", ["-batch", try directory.write("batch", text)])
        guard result.status.isSuccess else { throw Failure("ip -batch", result) }
        forgetInterfaces()
    }

    /// Has the kernel announce thousands of routes that nobody uses: more than a listener's socket holds that is not
    /// read.
    public func announceMuch() throws {
        try batch(
            (0..<2_000).map { "route add 203.0.113.\($0 % 250) dev lo table \(900 + $0 / 250)\n" }.joined()
                + (0..<8).map { "route flush table \(900 + $0)\n" }.joined())
    }

    /// Forgets the interfaces' indices: after an interface was removed or added from outside.
    public func forgetInterfaces() { batches = [:] }

    /// Sets one of its values, by its path below /proc/sys.
    public func set(_ name: String, _ value: String) throws {
        try inside {
            let file = try OwnedDescriptor("open", subject: name) { open("/proc/sys/\(name)", O_WRONLY | O_CLOEXEC) }
            try retrying("set", subject: name) { write(file.number, value, value.utf8.count) }
        }
    }

    /// Replaces a file below its /etc, as the usual writers of such files do: atomically, by a rename.
    public func replace(_ name: String, _ text: String) throws {
        let path = "/proc/\(processID)/root/etc/\(name)"
        let new = "\(path).new"
        do {
            let file = try OwnedDescriptor("open", subject: new) { open(new, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644) }
            try retrying("write", subject: new) { write(file.number, text, text.utf8.count) }
        }
        try retrying("rename", subject: path) { rename(new, path) }
    }

    /// The path at which its programs have one that was built with the tests: one that every user may run, wherever it
    /// was built.
    public func program(_ name: String) throws -> String {
        let built = try Products.program(name)
        let path = directory.file("programs")
        if !hasPrograms { try shell("mount --bind \(built.dropLast(name.utf8.count)) \(path)") }
        hasPrograms = true
        return "\(path)/\(name)"
    }

    /// Does something on the calling thread as a process of this network would, sockets above all.
    public func inside<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        let file = "/proc/thread-self/ns/net"
        let before = try OwnedDescriptor("open", subject: file) { open(file, O_RDONLY | O_CLOEXEC) }
        try retrying("enter a network") { waymark_test_enter_network(descriptor.number) }
        defer {
            // A thread that remains in another network would break the next job on it.
            let status = waymark_test_enter_network(before.number)
            precondition(status == 0, "this thread is not in its network again: \(SystemError.text(errno))")
        }
        return try body()
    }

    /// The prefix of a command that makes it run in this network.
    public var entrance: [String] {
        let spaces = "/proc/\(processID)/ns"
        return ["/usr/bin/nsenter", "--net=\(spaces)/net", "--mount=\(spaces)/mnt"]
    }

    /// Starts a program in it, guarded.
    public func start(_ launch: ChildProcess.Launch) throws -> ChildProcess {
        let command = entrance + [launch.path] + launch.arguments
        var launch = launch
        launch.path = command[0]
        launch.arguments = Array(command.dropFirst())
        launch.isGuarded = true
        return try ChildProcess(launch)
    }

    /// Runs a program in it to its end.
    @discardableResult
    public func run(_ path: String, _ arguments: [String] = [], seconds: Double = 60) throws -> CompletedProcess {
        let command = entrance + [path] + arguments
        return try CompletedProcess.run(command[0], Array(command.dropFirst()), seconds: seconds)
    }

    /// Runs a script of sh(1) in it to its end, which has to be a good one.
    @discardableResult
    public func shell(_ script: String, seconds: Double = 60) throws -> String {
        let result = try run("/bin/sh", ["-ec", script], seconds: seconds)
        guard result.status.isSuccess else { throw Failure(script, result) }
        return result.output
    }
}
