import Glibc
import Interfaces
import Location
import Platform
import Replay
import TestClients
import TestSupport
import Testing
import Varlink

/// Everything between a receiver and a server that is not the server: a receiver that reports ten times a second or
/// faster, a gpsd, a daemon and an uploader, on this machine's network or on one of the test's own.
final class UploadChain {
    let daemon: DaemonProcess
    let uploader: UploaderProcess
    private let format: String
    private let apps: TestApps
    private let receiver: FedTerminal
    private let gpsd: RestartableGPSD

    /// The program and its manifest are the test's, the recording is called `home`. `pace` makes it more than ten
    /// positions a second, and `seconds` of such a recording are all that there is.
    init(
        format: String, url: String, network: TestNetwork? = nil, pace: Double = 1, seconds: Int = 600
    ) throws {
        let machine = network?.machine
        apps = try TestApps()
        let recording = try Products.recording("ten-hertz", seconds: seconds, in: apps.directory)
        receiver = try FedTerminal(recording, pace: .times(pace))
        gpsd = try RestartableGPSD([receiver.path], in: machine)
        try gpsd.start()
        let program = try apps.program("waymark-upload", of: "waymark-upload")
        try apps.add("uploader", name: "Uploader", program: program, "Record=yes")
        var surroundings = DaemonSurroundings()
        if let machine {
            surroundings.entrance = machine.entrance
            surroundings.program = try machine.program("waymarkd")
        }
        daemon = try DaemonProcess(
            in: apps.directory,
            configuration: apps.configuration() + "[Reachability]\nSettle=50ms\nMaximumSettle=50ms\n",
            gpsd: gpsd.address, logLevel: "info", more: ["--simulated"], surroundings: surroundings)
        try OperatorClient(daemon).authorize("uploader", .always, uid: geteuid())
        self.format = format
        uploader = try UploaderProcess(
            try Self.entering(machine, program, in: apps.directory), to: daemon.socketPath,
            configuration: Self.configuration(format, url))
        receiver.begin()
    }

    private static func configuration(_ format: String, _ url: String) -> String {
        """
        [Destination]
        URL=\(url)
        Format=\(format)
        Unencrypted=yes
        Timeout=5s
        [Filter]
        Distance=none
        Interval=none
        Stationary=none
        [Device]
        User=jane
        Name=boat

        """
    }

    /// Changes its destination.
    func send(to url: String) throws { try uploader.reload(Self.configuration(format, url)) }

    /// A program that enters a network and executes another one.
    private static func entering(
        _ network: PrivateNetwork?, _ program: String, in directory: TemporaryDirectory
    ) throws -> String {
        guard let network else { return program }
        let command = network.entrance + [program]
        let path = try directory.write("bin/enter", "#!/bin/sh\nexec \(command.joined(separator: " ")) \"$@\"\n")
        try retrying("chmod", subject: path) { chmod(path, 0o755) }
        return path
    }

    /// Pulls the receiver's cable: nothing more is recorded.
    func unplug() {
        receiver.unplug()
        gpsd.stop()
    }

    /// The daemon's recording; nil where it has none yet.
    func recording() throws -> KnownRecording? {
        try OperatorClient(daemon).recordings().first
    }

    /// The status of the uploader; nil before its first report.
    func status() throws -> UploadStatus? {
        try OperatorClient(daemon).uploads().first?.status
    }

    /// Makes it send all pending positions now.
    func flush() throws {
        let client = try Client(path: daemon.socketPath, timeout: .seconds(60))
        _ = try client.call(UploadsInterface.Method.flush.rawValue, ["name": "home"], timeout: .seconds(60))
    }

    /// Waits until the daemon has received everything and all has been settled; how many positions that are.
    func drain(seconds: Double) throws -> Int64 {
        let manage = try OperatorClient(daemon)
        let hasReceived = try eventually(within: seconds) { try manage.status().receiver.state != .watching }
        // What was recorded before is committed before the journal is read.
        try manage.call(JournalInterface.Read(kinds: [.serviceStarted]))
        var settled: KnownRecording?
        let isSettled = try eventually(within: seconds) {
            settled = try recording()
            return settled?.waiting == 0
        }
        guard hasReceived, isSettled, let recording = settled else {
            throw VarlinkError.protocolViolation(
                "not settled: \(settled.map { "\($0)" } ?? "no recording") \(try status().map { "\($0)" } ?? "")")
        }
        #expect(recording.dropped == 0 && recording.deadLetters == 0)
        return recording.last
    }

    /// The logs of all processes.
    var story: String { "\(daemon.log)\n\(uploader.log)" }
}
