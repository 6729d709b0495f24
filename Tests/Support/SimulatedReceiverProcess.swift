import Glibc
import Platform

/// A waymark-simulator that serves a simulated receiver, as its unit runs it: the socket is handed over as systemd does.
public final class SimulatedReceiverProcess {
    /// Where its gpsd is, as `--gpsd` takes it.
    public let address: String
    private let directory: TemporaryDirectory
    private let process: ChildProcess

    /// Starts one. A client that connects waits in the socket's queue until its gpsd runs.
    public init() throws {
        directory = try TemporaryDirectory()
        let path = directory.file("gpsd.sock")
        address = "unix:\(path)"
        let socket = try UnixSocket.listen(path: path, mode: 0o600)
        let log = directory.file("log")
        // The protocol of sd_listen_fds(3).
        let script = "exec 3<&0 </dev/null >\(log) 2>&1; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" serve"
        process = try ChildProcess(
            ChildProcess.Launch(
                "/bin/sh", ["-c", script, try Products.program("waymark-simulator")],
                environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR": directory.path],
                input: .descriptor(socket.number), isGuarded: true))
    }

    /// Its process.
    public var processID: pid_t { process.processID }

    /// Its log so far.
    public var log: String {
        do throws(SystemError) {
            return String(decoding: try BoundedFile.bytes(of: directory.file("log"), limit: 1 << 20), as: UTF8.self)
        } catch {
            return ""
        }
    }
}
