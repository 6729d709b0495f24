import CLinux
import Glibc
import Platform

/// The apps of a test's daemon: manifests, restrictions, and programs to be apps and agents.
public struct TestApps: Sendable {
    /// The directory of all of it, which every user may enter: also the daemon's, see `DaemonProcess`.
    public let directory: TemporaryDirectory

    /// No apps and no programs.
    public init() throws {
        directory = try TemporaryDirectory()
        try retrying("chmod", subject: directory.path) { chmod(directory.path, 0o711) }
        try directory.write("apps/README", "")
        try directory.write("restrictions.d/README", "")
    }

    /// The daemon's configuration for these apps, with these programs as agents.
    public func configuration(agents: [String] = [], personalManifests: Bool = false) -> String {
        """
        [Socket]
        MaximumConnectionsPerUser=4096
        [Authorization]
        Manifests=\(directory.file("apps"))
        PersonalManifests=\(personalManifests ? "present" : "no")
        Restrictions=\(directory.file("restrictions.d"))
        Agents=\(agents.isEmpty ? directory.file("no-agent") : agents.joined(separator: " "))

        """
    }

    /// Writes a manifest by which a program is an app.
    public func add(_ id: String, name: String, program: String, _ more: String = "") throws(SystemError) {
        try directory.write(
            "apps/\(id).app",
            """
            [App]
            Name=\(name)
            Exec=\(program)
            WhenInUseUsageDescription=Shows where you are on the map of \(id).
            AlwaysAndWhenInUseUsageDescription=Records your way with \(id) while the screen is off.
            \(more)
            """)
    }

    /// Writes a file of restrictions, or removes it.
    public func restrict(_ text: String?) throws(SystemError) {
        let name = "restrictions.d/test.conf"
        if let text {
            try directory.write(name, text)
        } else {
            try retrying("remove", subject: name) { unlink(directory.file(name)) }
        }
    }

    /// A program of this name, by default one for `ProgramClient`, which every user may run and only root may change.
    public func program(_ name: String, of product: String = "waymark-peer") throws -> String {
        let original = try Products.program(product)
        let path = directory.file("bin/\(name)")
        if mkdir(directory.file("bin"), 0o755) != 0, errno != EEXIST { throw SystemError("make", subject: path) }
        try ExecutableCopy.make(of: original, at: path)
        return path
    }

    /// The path of the running program, by which a client within the test itself is identified.
    public static func ownProgram() throws(SystemError) -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = try retrying("read", subject: "/proc/self/exe") {
            readlink("/proc/self/exe", &buffer, buffer.count)
        }
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A connection to a daemon that a program of the test's choice makes as a user of the test's choice.
public final class ProgramClient {
    private let process: ChildProcess
    private var bytes: [UInt8] = []

    /// Starts a program of `TestApps` and has it connect. Only root can run it as another user, a member of these
    /// groups, and with further options of setpriv(1).
    public init(
        _ program: String, to socket: String, as user: uid_t = geteuid(), groups: [gid_t] = [],
        options: [String] = [], arguments: [String] = []
    ) throws {
        let isOther = user != geteuid() || !groups.isEmpty || !options.isEmpty
        let path = isOther ? "/usr/bin/setpriv" : program
        let list = groups.map(String.init).joined(separator: ",")
        let become =
            ["--reuid=\(user)", "--regid=\(user)", groups.isEmpty ? "--clear-groups" : "--groups=\(list)"] + options
            + [program]
        process = try ChildProcess(
            ChildProcess.Launch(
                path, (isOther ? become : []) + [socket] + arguments, input: .pipe, output: .pipe, error: .inherited,
                isGuarded: true))
    }

    /// The number of its process.
    public var processID: pid_t { process.processID }

    /// Kills it.
    public func kill() throws(SystemError) {
        process.signal(SIGKILL)
        _ = try process.wait(seconds: 60)
    }

    /// Sends it a signal.
    public func signal(_ number: Int32) { process.signal(number) }

    /// Sends a message. An error if the program has ended.
    public func send(_ message: String) throws(SystemError) {
        let bytes = Array(message.utf8) + [0]
        var sent = 0
        while sent < bytes.count {
            let rest = bytes[sent...]
            let count = rest.withUnsafeBytes { waymark_write_quietly(process.inputPipe, $0.baseAddress, $0.count) }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                _ = try PollDeadline(seconds: 10).poll(process.inputPipe, for: POLLOUT)
            } else if errno != EINTR {
                throw SystemError("send to a program", subject: process.launch.path)
            }
        }
    }

    /// The next message; nil where none arrives in time, or the connection has ended.
    public func next(seconds: Double = 60) throws(SystemError) -> [UInt8]? {
        let deadline = PollDeadline(seconds: seconds)
        while true {
            if let end = bytes.firstIndex(of: 0) {
                let message = Array(bytes[..<end])
                bytes.removeSubrange(...end)
                return message
            }
            guard try deadline.poll(process.outputPipe, for: POLLIN) else { return nil }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(process.outputPipe, &buffer, buffer.count)
            if count > 0 { bytes += buffer[..<count] }
            if count == 0 { return nil }
        }
    }
}
