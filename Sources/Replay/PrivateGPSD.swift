import CLinux
import Glibc
import Platform

/// A gpsd that reads one device, serves one loopback port or one Unix socket, and is ended with this value.
///
/// It is isolated from the machine's own gpsd: it exports no shared memory segment and no D-Bus signals, and gpsd does
/// not set the clock from a pseudo-terminal. So other programs do not receive the replayed positions, and with a Unix
/// socket neither do other users.
public final class PrivateGPSD {
    /// The address of this gpsd.
    public let place: GPSDPlace
    private let process: ChildProcess
    private let log: OwnedDescriptor
    private let sharedMemoryKey: Int32
    /// Holds the port, so that the kernel does not assign it to another process before gpsd is ready to serve it.
    private let reservation: OwnedDescriptor?
    /// The address for clients: HOST:PORT or unix:PATH.
    public var address: String { place.address }
    /// The number of the process, for messages and tests.
    public var processID: pid_t { process.processID }
    /// Becomes readable when gpsd has ended; for poll(2).
    public var exitDescriptor: Int32 { process.exitDescriptor }

    /// Starts gpsd on a device and waits until it serves that device; fails after this many seconds.
    ///
    /// It reads the device at once (`-n`), or only while a client watches, as a system's gpsd does. It serves a free
    /// port, or only the Unix socket at this path.
    public static func start(
        device: String, readsAtOnce: Bool = true, socket: String? = nil, seconds: Double = 10
    ) throws(ReplayError) -> PrivateGPSD {
        guard let program = ExecutableSearch.find("gpsd", alsoIn: ["/usr/sbin", "/usr/local/sbin"]) else {
            throw .gpsdMissing
        }
        let gpsd = try PrivateGPSD(program: program, device: device, readsAtOnce: readsAtOnce, socket: socket)
        try gpsd.waitUntilReady(device: device, PollDeadline(seconds: seconds))
        return gpsd
    }

    /// Starts gpsd on a device. It reads the device at once and serves a socket that already listens, whoever may connect to
    /// it. Nothing is waited for: who connects meanwhile waits in the socket's queue.
    public static func start(device: String, serving socket: consuming OwnedDescriptor) throws(ReplayError)
        -> PrivateGPSD
    {
        guard let program = ExecutableSearch.find("gpsd", alsoIn: ["/usr/sbin", "/usr/local/sbin"]) else {
            throw .gpsdMissing
        }
        return try PrivateGPSD(program: program, device: device, serving: socket)
    }

    private init(program: String, device: String, serving socket: consuming OwnedDescriptor) throws(ReplayError) {
        do {
            let log = try OwnedDescriptor("make a log for", subject: program) { waymark_memory_file("gpsd.log") }
            // There may be no network, and thus no free port: the number of the process keeps the keys apart.
            let key = try Self.occupiedKey(UInt16(truncatingIfNeeded: getpid()))
            let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
            process = try Self.activate(
                program, Self.arguments(port: nil, readsAtOnce: true, device: device), Self.environment(key),
                clients: socket, control: "\(directory)/waymark-gpsd-\(getpid()).control", log.number)
            place = .handedOver
            reservation = nil
            self.log = log
            sharedMemoryKey = key
        } catch {
            throw .system(error)
        }
    }

    /// Takes a key of shared memory. gpsd's default key is 0x47505344. This key belongs to a segment that is too small for
    /// gpsd, so that gpsd cannot export positions: every user could read its own segment. There is one key for each number,
    /// so that several gpsds can run at once.
    private static func occupiedKey(_ number: UInt16) throws(SystemError) -> Int32 {
        let key = Int32(0x574d_0000) | Int32(number)
        waymark_remove_shared_memory(key)
        try retrying("take the key of gpsd's shared memory") { shmget(key, 1, Int32(IPC_CREAT | IPC_EXCL) | 0o600) }
        return key
    }

    private static func environment(_ key: Int32) -> [String: String] {
        [
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "GPSD_SHM_KEY": "\(key)",
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/dev/null",
        ]
    }

    /// Read only, at a fixed speed: a recording does not answer probes, and the search for the speed takes a second.
    private static func arguments(port: UInt16?, readsAtOnce: Bool, device: String) -> [String] {
        ["-N", "-b", "-s", "38400", "-f", "8N1"] + (port.map { ["-S", "\($0)"] } ?? []) + (readsAtOnce ? ["-n"] : [])
            + [device]
    }

    private init(
        program: String, device: String, readsAtOnce: Bool, socket: String?
    ) throws(ReplayError) {
        do {
            var port: UInt16 = 0
            reservation = try Loopback.reservePort(&port)
            let log = try OwnedDescriptor("make a log for", subject: program) { waymark_memory_file("gpsd.log") }
            let key = try Self.occupiedKey(port)
            let environment = Self.environment(key)
            let arguments = Self.arguments(
                port: socket == nil ? port : nil, readsAtOnce: readsAtOnce, device: device)
            if let socket {
                process = try Self.activate(
                    program, arguments, environment, clients: UnixSocket.listen(path: socket, mode: 0o600),
                    control: socket + ".control", log.number)
                place = .socket(path: socket)
            } else {
                process = try ChildProcess(
                    ChildProcess.Launch(
                        program, arguments, environment: environment, output: .descriptor(log.number),
                        error: .descriptor(log.number), isGuarded: true))
                place = .port(port)
            }
            self.log = log
            sharedMemoryKey = key
        } catch {
            throw .system(error)
        }
    }

    /// Starts gpsd with sockets passed by systemd's activation protocol, sd_listen_fds(3), because gpsd can serve a
    /// Unix socket in no other manner. gpsd uses the first descriptor as its control socket, which is unreachable here,
    /// and the second one for clients. The shell moves both to the descriptor numbers of the protocol and sets
    /// LISTEN_PID, because only it knows its own process number.
    private static func activate(
        _ program: String, _ arguments: [String], _ environment: [String: String],
        clients: consuming OwnedDescriptor, control path: String, _ log: Int32
    ) throws(SystemError) -> ChildProcess {
        let control = try UnixSocket.listen(path: path, mode: 0o600)
        unlink(path)
        let script = "exec 3<&1 4<&0 </dev/null >&2; LISTEN_FDS=2 LISTEN_PID=$$ exec \"$0\" \"$@\""
        return try ChildProcess(
            ChildProcess.Launch(
                "/bin/sh", ["-c", script, program] + arguments, environment: environment,
                input: .descriptor(clients.number), output: .descriptor(control.number), error: .descriptor(log),
                isGuarded: true))
    }

    /// Throws an error if gpsd has ended.
    public func check() throws(ReplayError) {
        let status: ExitStatus?
        do {
            status = try process.exitStatus()
        } catch {
            throw .system(error)
        }
        if let status { throw .gpsdEnded(status, output: lastOutput()) }
    }

    /// Ends gpsd and waits for its exit: SIGKILL if SIGTERM does not suffice within two seconds.
    public func stop() throws(ReplayError) {
        do {
            try process.terminate(graceSeconds: 2)
        } catch {
            throw .system(error)
        }
        waymark_remove_shared_memory(sharedMemoryKey)
    }

    deinit {
        process.signal(SIGKILL)
        waymark_remove_shared_memory(sharedMemoryKey)
    }

    private func waitUntilReady(device: String, _ deadline: PollDeadline) throws(ReplayError) {
        do {
            while !deadline.hasPassed {
                if let status = try process.exitStatus() {
                    throw ReplayError.gpsdNotReady(reason: "it \(status)", output: lastOutput())
                }
                if try answers(for: device, deadline) { return }
                // Nothing reports when gpsd starts to listen, so the code polls every hundredth of a second.
                _ = try PollDeadline(seconds: 0.01).poll(exitDescriptor, for: POLLIN)
            }
        } catch let error as ReplayError {
            throw error
        } catch let error as SystemError {
            throw .system(error)
        } catch {
            throw .gpsdNotReady(reason: "\(error)", output: lastOutput())
        }
        throw .gpsdNotReady(reason: "it did not answer in time", output: lastOutput())
    }

    /// Whether a gpsd with this device answers at the port, which shows that it is this one.
    private func answers(for device: String, _ deadline: PollDeadline) throws(SystemError) -> Bool {
        let client: LineClient
        do {
            client = try LineClient(at: place)
        } catch  where error.code == ECONNREFUSED {
            return false
        }
        guard let greeting = try client.line(before: deadline), greeting.hasPrefix("{\"class\":\"VERSION\"") else {
            return false
        }
        try client.send("?DEVICES;")
        return try client.line(containing: "\"path\":\"\(device)\"", before: deadline) != nil
    }

    /// The end of its error output, up to 2,000 bytes.
    public func lastOutput() -> String {
        let size = lseek(log.number, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: 2_000)
        let count = pread(log.number, &bytes, bytes.count, max(0, size - bytes.count))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
