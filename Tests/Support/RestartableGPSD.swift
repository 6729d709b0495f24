import CLinux
import Glibc
import Platform
import Replay

/// A gpsd of one test that can be killed and started again on the same port and devices, and made to add or release
/// a device through its control socket, gpsd(8).
public final class RestartableGPSD {
    /// gpsd did not do a step in time.
    public struct Failure: Error, CustomStringConvertible {
        /// The step.
        public let description: String
    }

    /// The TCP port at 127.0.0.1.
    public var port: UInt16 { held.number }
    private let held: LoopbackPort
    private let devices: [String]
    private let network: PrivateNetwork?
    private let directory: TemporaryDirectory
    private var process: ChildProcess?

    /// Where a client connects: HOST:PORT.
    public var address: String { "127.0.0.1:\(port)" }
    private var controlPath: String { directory.file("control") }

    /// A gpsd of these devices that is not started yet, in this network where one is given.
    public init(_ devices: [String], in network: PrivateNetwork? = nil) throws {
        self.devices = devices
        self.network = network
        directory = try TemporaryDirectory()
        held = try LoopbackPort()
    }

    /// Starts it and waits until it replies with its devices.
    public func start(seconds: Double = 60) throws {
        guard let program = ExecutableSearch.find("gpsd", alsoIn: ["/usr/sbin", "/usr/local/sbin"]) else {
            throw ReplayError.gpsdMissing
        }
        // An own shared memory segment and no D-Bus: other gpsds of the machine do not notice.
        let environment = [
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "GPSD_SHM_KEY": "\(0x574d_0000 | Int32(port))",
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/dev/null",
        ]
        let arguments = ["-N", "-n", "-b", "-s", "38400", "-f", "8N1", "-F", controlPath, "-S", "\(port)"]
        let launch = ChildProcess.Launch(
            program, arguments + devices, environment: environment, isGuarded: true)
        process = try network?.start(launch) ?? ChildProcess(launch)
        let deadline = PollDeadline(seconds: seconds)
        let answers = try eventually(within: seconds) { try answersForDevices(before: deadline) }
        guard answers else { throw Failure(description: "gpsd does not reply at port \(port)") }
    }

    /// Ends it as a crash would.
    public func kill() throws {
        process?.signal(SIGKILL)
        guard let process, try process.wait(seconds: 60) != nil else {
            throw Failure(description: "gpsd survived SIGKILL")
        }
    }

    /// Stops it without ending it, SIGSTOP: its connections stay open and silent.
    public func freeze() { process?.signal(SIGSTOP) }

    /// Continues it.
    public func thaw() { process?.signal(SIGCONT) }

    /// Ends it and removes its shared memory.
    public func stop() {
        process?.signal(SIGKILL)
        process = nil
        waymark_remove_shared_memory(0x574d_0000 | Int32(port))
    }

    deinit { stop() }

    /// Makes it release a device, which it reports to its clients.
    public func remove(_ device: String) throws { try control("-\(device)") }

    /// Makes it use a device.
    public func add(_ device: String) throws { try control("+\(device)") }

    /// Connections to it that it has not closed, including those whose client has closed, proc(5).
    public func connectionCount() throws -> Int {
        let digits = String(port, radix: 16, uppercase: true)
        let local = ":" + String(repeating: "0", count: 4 - digits.count) + digits
        // ESTABLISHED and CLOSE_WAIT.
        return try ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { try Self.lines(of: $0) }.count { line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[1].hasSuffix(local) && ["01", "08"].contains(fields[3])
        }
    }

    private static func lines(of path: String) throws(SystemError) -> [Substring] {
        let file = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_CLOEXEC) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < 16 << 20 {
            let count = try retrying("read", subject: path) { read(file.number, &buffer, buffer.count) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    private func answersForDevices(before deadline: PollDeadline) throws -> Bool {
        let line: String?
        do {
            line = try network?.inside { try devicesLine(before: deadline) } ?? devicesLine(before: deadline)
        } catch let error as SystemError where error.code == ECONNREFUSED {
            return false
        }
        guard let line else { return false }
        return devices.allSatisfy { line.contains("\"path\":\"\($0)\"") }
    }

    private func devicesLine(before deadline: PollDeadline) throws(SystemError) -> String? {
        let client = try LineClient(port: port)
        try client.send("?DEVICES;")
        return try client.line(containing: "\"class\":\"DEVICES\"", before: deadline)
    }

    private func control(_ command: String) throws {
        let socket = try UnixSocket.connect(path: controlPath, timeout: .seconds(60))
        let bytes = Array("\(command)\r\n".utf8)
        try retrying("command gpsd") { bytes.withUnsafeBytes { send(socket.number, $0.baseAddress, $0.count, 0) } }
        var answer = [UInt8](repeating: 0, count: 16)
        guard try PollDeadline(seconds: 60).poll(socket.number, for: POLLIN),
            recv(socket.number, &answer, answer.count, 0) >= 2, answer.starts(with: "OK".utf8)
        else { throw Failure(description: "gpsd does not do \(command)") }
    }
}
