import CLinux
import Glibc
import Platform

/// A gpsd that reads one device, serves one loopback port or one Unix socket, and ends with this value.
///
/// It keeps to itself: no shared memory segment, no D-Bus signals, and gpsd sets no clock from a pseudo-terminal. So the
/// machine's own gpsd and its users do not see what is replayed; with a Unix socket nor does any other user.
public final class PrivateGPSD {
    /// Where it serves its clients.
    public let place: GPSDPlace
    private let process: ChildProcess
    private let log: OwnedDescriptor
    private let sharedMemoryKey: Int32
    /// Where a client connects: HOST:PORT or unix:PATH.
    public var address: String { place.address }
    /// The process, for messages and tests.
    public var processID: pid_t { process.processID }
    /// Becomes readable when gpsd has ended: for poll(2).
    public var exitDescriptor: Int32 { process.exitDescriptor }

    /// Starts gpsd on a device and waits until it serves that device; an error after so many seconds.
    ///
    /// It reads the device at once (`-n`), or as a system's own gpsd does only while a client watches. It serves a free port, or
    /// only the Unix socket of this path.
    public static func start(
        device: String, readsAtOnce: Bool = true, socket: String? = nil, seconds: Double = 10
    ) throws(ReplayError) -> PrivateGPSD {
        guard let program = ExecutableSearch.find("gpsd", alsoIn: ["/usr/sbin", "/usr/local/sbin"]) else {
            throw .gpsdMissing
        }
        let deadline = PollDeadline(seconds: seconds)
        var failure = ReplayError.gpsdNotReady(reason: "it took too long", output: "")
        // Another process may take the port between the choice and gpsd's bind: then gpsd ends, or a stranger answers.
        for _ in 0..<5 where !deadline.hasPassed {
            let gpsd = try PrivateGPSD(program: program, device: device, readsAtOnce: readsAtOnce, socket: socket)
            do {
                try gpsd.waitUntilReady(device: device, deadline)
                return gpsd
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private init(
        program: String, device: String, readsAtOnce: Bool, socket: String?
    ) throws(ReplayError) {
        do {
            let port = try Loopback.freePort()
            let log = try OwnedDescriptor("make a log for", subject: program) { waymark_memory_file("gpsd.log") }
            // gpsd's own key is 0x47505344. This one is taken by a segment that is too small for gpsd, so that it exports its
            // positions to nobody: what it makes itself every user may read. One for each port keeps gpsds that run at once apart.
            let key = Int32(0x574d_0000) | Int32(port)
            waymark_remove_shared_memory(key)
            try retrying("take the key of gpsd's shared memory") { shmget(key, 1, Int32(IPC_CREAT | IPC_EXCL) | 0o600) }
            let environment = [
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                "GPSD_SHM_KEY": "\(key)",
                "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/dev/null",
            ]
            // Read only, at a fixed speed: a recording does not answer probes, and hunting for a speed takes a second.
            let arguments =
                ["-N", "-b", "-s", "38400", "-f", "8N1"] + (socket == nil ? ["-S", "\(port)"] : [])
                + (readsAtOnce ? ["-n"] : []) + [device]
            if let socket {
                process = try Self.activate(program, arguments, environment, socket, log.number)
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

    /// Starts gpsd with a socket of systemd's protocol of activation, sd_listen_fds(3), which is the one way to have gpsd serve a
    /// Unix socket. gpsd takes the first descriptor for its control socket, which nobody can reach here, and the second for its
    /// clients. The shell moves both to the numbers of the protocol, which has to know the number of the process.
    private static func activate(
        _ program: String, _ arguments: [String], _ environment: [String: String], _ path: String, _ log: Int32
    ) throws(SystemError) -> ChildProcess {
        let clients = try UnixSocket.listen(path: path, mode: 0o600)
        let control = try UnixSocket.listen(path: path + ".control", mode: 0o600)
        unlink(path + ".control")
        let script = "exec 3<&1 4<&0 </dev/null >&2; LISTEN_FDS=2 LISTEN_PID=$$ exec \"$0\" \"$@\""
        return try ChildProcess(
            ChildProcess.Launch(
                "/bin/sh", ["-c", script, program] + arguments, environment: environment,
                input: .descriptor(clients.number), output: .descriptor(control.number), error: .descriptor(log),
                isGuarded: true))
    }

    /// Throws what gpsd ended with; nothing happens while it runs.
    public func check() throws(ReplayError) {
        let status: ExitStatus?
        do {
            status = try process.exitStatus()
        } catch {
            throw .system(error)
        }
        if let status { throw .gpsdEnded(status, output: lastOutput()) }
    }

    /// Ends it and waits until it is gone: SIGKILL where SIGTERM does not suffice within two seconds.
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
                // Nothing reports when it begins to listen, so the code polls, a hundredth of a second at a time.
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

    /// Whether a gpsd answers at the port that has this device, which makes it this one.
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

    /// The end of what it wrote to complain, up to 2,000 bytes.
    public func lastOutput() -> String {
        let size = lseek(log.number, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: 2_000)
        let count = pread(log.number, &bytes, bytes.count, max(0, size - bytes.count))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
