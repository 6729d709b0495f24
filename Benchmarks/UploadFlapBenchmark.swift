import Glibc
import Interfaces
import JSONText
import Platform
import TestSupport
import Varlink

/// How soon an uploader pauses when the path to its destination is lost, and how soon it sends when the path is
/// available.
///
/// The server is on the other side of a router, receives everything and never responds, so that a request is always
/// pending. A loss is measured from before the request to the kernel until the uploader's report of its pause passes a
/// relay between it and the daemon, which adds some tens of microseconds; a gain until the first byte of the next
/// request has reached the server, including the connection's handshake.
enum UploadFlapBenchmark {
    static func run(flaps: Int) throws {
        guard PrivateNetwork.isPossible else {
            throw OwnNetwork.Unavailable(description: "a private network needs root: run the benchmark with sudo")
        }
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
        let bench = try UploadFlapBench(settings: ReachabilityBenchmark.undamped)
        defer { bench.end() }
        var figures = UploadFlapFigures()
        for _ in 0..<flaps { figures.add(try bench.flap()) }
        print("\(flaps) flaps of the default route, without settling")
        figures.report()
        try settled(count: 10)
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
    }

    /// Only the first flap after each start, as later flaps settle longer.
    private static func settled(count: Int) throws {
        var figures = UploadFlapFigures()
        for _ in 0..<count {
            let bench = try UploadFlapBench(settings: "")
            defer { bench.end() }
            figures.add(try bench.flap())
        }
        print("\(count) flaps of calm networks, with settings as they are by themselves")
        figures.report()
    }
}

/// How long after a change something happened, in microseconds.
private struct UploadFlap {
    /// A loss, until the daemon notified the uploader, and until the uploader has paused.
    let reported, pause: Double
    /// A gain, until the server has the first byte, and the part of it since the daemon notified the uploader.
    let first, firstAfterWord: Double
}

private struct UploadFlapFigures {
    private var flaps: [UploadFlap] = []

    mutating func add(_ flap: UploadFlap) { flaps.append(flap) }

    func report() {
        func line(_ title: String, _ value: KeyPath<UploadFlap, Double>) {
            print("  \(title)  \(Distribution(flaps.map { $0[keyPath: value] }).milliseconds)")
        }
        line("lost, until the daemon notifies the uploader", \.reported)
        line("lost, until the uploader has paused      ", \.pause)
        line("back, until the server has the first byte", \.first)
        line("from the daemon's word of that until then", \.firstAfterWord)
    }
}

/// A receiver, a daemon, an uploader and a server with a router between.
private final class UploadFlapBench {
    private let network: TestNetwork
    private let apps: TestApps
    private let receiver: FedTerminal
    private let gpsd: RestartableGPSD
    private let daemon: DaemonProcess
    private let relay: DaemonRelay
    private let server: SilentServer
    private let uploader: ChildProcess

    init(settings: String) throws {
        network = try TestNetwork(.ipv4)
        apps = try TestApps()
        receiver = try FedTerminal(try Products.fixture("ten-hertz.nmea"), loops: true)
        gpsd = try RestartableGPSD([receiver.path], in: network.machine)
        try gpsd.start()
        // The relay is the client of the daemon.
        try apps.add("uploader", name: "Uploader", program: try TestApps.ownProgram(), "Record=yes")
        var surroundings = DaemonSurroundings()
        surroundings.entrance = network.machine.entrance
        daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration() + settings, gpsd: gpsd.address,
            logLevel: "warning", more: ["--simulated"], surroundings: surroundings)
        server = try SilentServer(in: network.far)
        relay = try DaemonRelay(to: daemon.socketPath, at: apps.directory.file("relay.sock"))
        let client = try Client(path: daemon.socketPath, timeout: .seconds(20))
        var writer = JSONWriter()
        ManageInterface.Authorize(app: "uploader", uid: geteuid(), status: .always).write(to: &writer)
        _ = try client.call(
            ManageInterface.Method.authorize.rawValue, try JSON.parse(writer.bytes), timeout: .seconds(20))
        let file = try apps.directory.write(
            "home.conf",
            """
            [Destination]
            URL=http://\(TestNetwork.worldIPv4):\(SilentServer.port)/
            Format=geojson
            Unencrypted=yes
            Timeout=10min
            [Filter]
            Distance=none
            Interval=none
            Stationary=none

            """)
        uploader = try network.machine.start(
            ChildProcess.Launch(
                try Products.program("waymark-upload"),
                ["home", "--config", file, "--socket", relay.path, "--log-level", "warning"], error: .inherited))
        receiver.begin()
        try wait("the first request") { self.server.firstBytes.count > 0 }
    }

    /// Loses the path and restores it.
    func flap() throws -> UploadFlap {
        // Reports that follow each other too fast are held back.
        _ = poll(nil, 0, 700)
        let (pauses, losses) = (relay.pauses.count, relay.losses.count)
        let loss = try network.machine.inside { () -> RouteSwitch.Change in
            var route = try RouteSwitch(interface: "up0", gateway: [10, 77, 0, 1])
            return try route.lose()
        }
        try wait("the pause") { self.relay.pauses.count > pauses && self.relay.losses.count > losses }
        let (pause, reported) = (relay.pauses.all[pauses].at, relay.losses.all[losses].at)
        _ = poll(nil, 0, 300)
        let (first, gains) = (server.firstBytes.count, relay.gains.count)
        let gain = try network.machine.inside { () -> RouteSwitch.Change in
            var route = try RouteSwitch(interface: "up0", gateway: [10, 77, 0, 1])
            return try route.gain()
        }
        try wait("the first byte") { self.server.firstBytes.count > first && self.relay.gains.count > gains }
        func microseconds(_ end: UInt64, since begin: UInt64) -> Double { Double(end - begin) / 1_000 }
        let begun = server.firstBytes.all[first].at
        return UploadFlap(
            reported: microseconds(reported, since: loss.before), pause: microseconds(pause, since: loss.before),
            first: microseconds(begun, since: gain.before),
            firstAfterWord: microseconds(begun, since: relay.gains.all[gains].at))
    }

    private func wait(_ what: String, _ condition: () -> Bool) throws {
        guard eventually(within: 30, condition) else {
            throw OwnNetwork.Unavailable(description: "\(what) does not arrive:\n\(daemon.log)")
        }
    }

    func end() {
        receiver.unplug()
        gpsd.stop()
        server.stop()
    }
}
