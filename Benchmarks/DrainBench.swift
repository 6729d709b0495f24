import Glibc
import Interfaces
import JSONText
import Platform
import TestSupport
import Varlink

/// The cost of draining a recording.
struct Drain {
    var seconds = 0.0
    /// Of the client, with the daemon where it needs one.
    var processorSeconds = 0.0
    /// Of the server.
    var serverSeconds = 0.0
    /// The most memory that was resident, in KiB: of the daemon, and of the uploader.
    var daemonPeak = 0
    var uploaderPeak = 0
}

/// A recording with very many positions that wait, which is drained again and again.
final class DrainBench {
    private let apps: TestApps
    private let program: String
    private let template: String
    private let points: Int
    let route: RecordedRoute

    init(points: Int) throws {
        self.points = points
        apps = try TestApps()
        program = try apps.program("waymark-upload", of: "waymark-upload")
        try apps.add("uploader", name: "Uploader", program: program, "Record=yes")
        template = apps.directory.file("state")
        route = try RecordedRoute(in: template, perTransaction: 4_096, of: "uploader", as: "home")
        _ = try route.record(points)
        try route.close()
        try prepare()
    }

    /// Authorizes the uploader, and pauses it: an uploader that has never attached cannot be paused.
    private func prepare() throws {
        let daemon = try start(in: apps.directory)
        let client = try Client(path: daemon.socketPath, timeout: .seconds(20))
        var writer = JSONWriter()
        ManageInterface.Authorize(app: "uploader", uid: geteuid(), status: .always).write(to: &writer)
        try client.call(ManageInterface.Method.authorize.rawValue, try JSON.parse(writer.bytes), timeout: .seconds(20))
        let uploader = try carry(.geojson, to: 9, trusting: nil, in: apps.directory, over: daemon)
        try wait("the uploader", daemon) { try Self.upload(client)?.isRunning == true }
        try client.call(UploadsInterface.Method.pause.rawValue, ["name": "home"], timeout: .seconds(20))
        guard try uploader.terminate(graceSeconds: 10) == .exited(0), try daemon.stop() == .exited(0) else {
            throw OwnNetwork.Unavailable(description: "it does not end in order:\n\(daemon.log)")
        }
    }

    private func start(in directory: TemporaryDirectory) throws -> DaemonProcess {
        try DaemonProcess(in: directory, configuration: apps.configuration(), logLevel: "warning")
    }

    private func carry(
        _ format: DrainFormat, to port: UInt16, trusting authority: String?, in directory: TemporaryDirectory,
        over daemon: DaemonProcess
    ) throws -> ChildProcess {
        let file = try directory.write("home.conf", format.file(port: port, authority: authority))
        return try ChildProcess(
            ChildProcess.Launch(
                program, ["home", "--config", file, "--socket", daemon.socketPath, "--log-level", "error"],
                error: .inherited, isGuarded: true))
    }

    /// Drains a copy of it through a daemon and an uploader, which run before it begins. The run ends when the daemon
    /// reports that everything is acknowledged, which is durable then.
    func drain(_ format: DrainFormat) throws -> Drain {
        let server = try DrainServer(for: format)
        let directory = try TemporaryDirectory()
        let copy = try CompletedProcess.run("/bin/cp", ["-a", template, directory.file("state")])
        guard copy.status.isSuccess else { throw OwnNetwork.Unavailable(description: copy.error) }
        let daemon = try start(in: directory)
        let client = try Client(path: daemon.socketPath, timeout: .seconds(20))
        let uploader = try carry(
            format, to: server.port, trusting: server.authority, in: directory, over: daemon)
        try wait("the uploader", daemon) { try Self.upload(client)?.status.state == "paused" }
        let clients = [daemon.processID, uploader.processID]
        let before = try Self.processorSeconds(clients)
        let serverBefore = try server.processorSeconds
        let began = SystemClock().monotonicNanoseconds
        try client.call(UploadsInterface.Method.resume.rawValue, ["name": "home"], timeout: .seconds(20))
        try wait("the last acknowledgement", daemon) {
            let recording = try client.call(RecordingInterface.List(), timeout: .seconds(20)).recordings.first
            if recording?.acknowledged == Int64(points) { return true }
            // Rarely, as it costs the daemon time, and more often near the end, as it is part of the figure.
            let left = Int64(points) - (recording?.acknowledged ?? 0)
            _ = poll(nil, 0, Int32(clamping: max(2, min(left / 200, 20))))
            return false
        }
        var drain = Drain(seconds: Double(SystemClock().monotonicNanoseconds - began) / 1e9)
        drain.processorSeconds = try Self.processorSeconds(clients) - before
        drain.serverSeconds = try server.processorSeconds - serverBefore
        drain.daemonPeak = try ProcessFigures(daemon.processID).peakKiB
        drain.uploaderPeak = try ProcessFigures(uploader.processID).peakKiB
        _ = try uploader.terminate(graceSeconds: 10)
        try daemon.stop()
        try server.end(expecting: points)
        return drain
    }

    private static func processorSeconds(_ processes: [pid_t]) throws -> Double {
        try processes.reduce(0) { try $0 + Double(ProcessFigures($1).processorMilliseconds) / 1_000 }
    }

    private static func upload(_ client: Client) throws -> KnownUpload? {
        try client.call(UploadsInterface.List(), timeout: .seconds(20)).uploads.first
    }

    private func wait(_ what: String, _ daemon: DaemonProcess, _ condition: () throws -> Bool) throws {
        guard try eventually(within: 300, condition) else {
            throw OwnNetwork.Unavailable(description: "\(what) does not arrive:\n\(daemon.log)")
        }
    }
}
