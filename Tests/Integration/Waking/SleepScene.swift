import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import Testing
import Varlink

/// Sleeping apps of a machine with a network and a receiver of its own: the daemon, `waymark-waker`, a small service manager,
/// and real processes in control groups of their services.
final class SleepScene {
    /// Whether one can be had here.
    static let isPossible = ServiceManagerProcess.isPossible && PrivateNetwork.isPossible

    /// An app, its service, and what its processes have written.
    struct App {
        let name: String
        let unit: String
        let record: String

        /// The lines that it has written into its record so far.
        func lines() throws(SystemError) -> [Substring] { try Self.lines(of: record) }

        /// The lines that it has printed so far.
        func output() throws(SystemError) -> [Substring] { try Self.lines(of: "\(record).output") }

        private static func lines(of file: String) throws(SystemError) -> [Substring] {
            guard access(file, F_OK) == 0 else { return [] }
            return String(decoding: try BoundedFile.bytes(of: file, limit: 16 << 20), as: UTF8.self)
                .split(separator: "\n")
        }

        /// The numbers of the events that it has seen: of a monitor, or of the app.
        func numbers(of name: String) throws(SystemError) -> [Int] {
            try lines().compactMap { line in
                let words = line.split(separator: " ")
                return words.count == 4 && words[0] == "event" && words[1] == name ? Int(words[2]) : nil
            }
        }

        /// The events of the path that it has seen.
        func paths() throws(SystemError) -> [Substring] {
            try lines().filter { $0.hasPrefix("event app ") && $0.hasSuffix(" path") }
        }

        /// The pushes that it has seen: the container, and the text of the record that it has read then.
        func pushes() throws(SystemError) -> [(container: Substring, text: Substring)] {
            try lines().compactMap { line in
                let words =
                    line.split(separator: " ").last?.split(separator: "=", omittingEmptySubsequences: false) ?? []
                return line.hasPrefix("event app ") && words.count == 3 && words[0] == "push"
                    ? (words[1], words[2]) : nil
            }
        }
    }

    let network: TestNetwork
    let daemon: DaemonProcess
    let manager: ServiceManagerProcess
    let apps: [App]
    private let gpsd: ScriptedGPSD
    private var waker: ChildProcess
    private let testApps: TestApps
    /// The place of the socket of the machine's waymark-sync.
    private let syncSocket: String
    private var syncing: SyncMachine?
    private var second = 0
    /// Where the vehicle is, in metres north of the middle of the yard.
    private var north = 400.0
    private let start = (SystemClock().utcMicroseconds / 1_000_000 - 36_000) * 1_000_000

    /// Apps of these names with this command, and these further lines of their manifests; without a command each kills itself in
    /// so many of a hundred events.
    init(
        _ names: [String], settings: String, percent: Int = 0, causes: String = "regions path",
        keys: [String: String] = [:], command: ((App) throws -> [String])? = nil
    ) throws {
        testApps = try TestApps()
        let folder = testApps.directory
        syncSocket = folder.file("sync.sock")
        network = try TestNetwork(.ipv4)
        gpsd = try network.machine.inside { try ScriptedGPSD() }
        // Several scenes may exist at the same time.
        let suffix = folder.path.split(separator: "-").last ?? ""
        apps = names.map { App(name: $0, unit: "\($0)-\(suffix).service", record: folder.file("\($0).record")) }
        for app in apps {
            try folder.write(
                "apps/\(app.name).app",
                """
                [App]
                Name=The \(app.name)
                Unit=\(app.unit)
                WhenInUseUsageDescription=Opens the gate of \(app.name) when the vehicle comes.
                AlwaysAndWhenInUseUsageDescription=Opens the gate of \(app.name) when the vehicle comes.
                \(keys[app.name] ?? "")
                [Wake]
                Unit=\(app.unit)
                For=\(causes)
                """)
        }
        var surroundings = DaemonSurroundings()
        surroundings.entrance = Self.entrance(network)
        daemon = try DaemonProcess(
            in: folder, configuration: testApps.configuration() + RegionScene.patient + settings, gpsd: gpsd.address,
            logLevel: "info", surroundings: surroundings)
        let (program, socket) = (try Products.program("waymark-sleeper"), daemon.socketPath)
        let push = causes.contains("push") ? ["push=\(syncSocket)"] : []
        let units = try apps.enumerated().map { index, app in
            // The first one also watches the yard.
            let requests = (index == 0 ? ["path", "region=47,-30,100"] : ["path"]) + push
            let usual = [program, app.record, "\(percent)"] + requests
            return try ServiceManagerProcess.Unit(
                app.unit, try command?(app) ?? usual, environment: ["WAYMARK_SOCKET": socket],
                output: "\(app.record).output")
        }
        manager = try ServiceManagerProcess(units, in: folder, entrance: surroundings.entrance)
        waker = try Self.waker(daemon, manager, network)
    }

    deinit {
        gpsd.stop()
        waker.signal(SIGKILL)
    }

    /// The prefix of a command that brings it into the machine's network only: it has to see the control groups.
    private static func entrance(_ network: TestNetwork) -> [String] {
        ["/usr/bin/nsenter", "--net=/proc/\(network.machine.processID)/ns/net"]
    }

    private static func waker(
        _ daemon: DaemonProcess, _ manager: ServiceManagerProcess, _ network: TestNetwork
    ) throws -> ChildProcess {
        let command =
            entrance(network) + [
                try Products.program("waymark-waker"), "--config", daemon.directory.file("waymark.conf"), "--socket",
                daemon.socketPath, "--manager", manager.socketPath,
            ]
        return try ChildProcess(
            ChildProcess.Launch(command[0], Array(command.dropFirst()), error: .inherited, isGuarded: true))
    }

    /// Has the apps use the copy of a waymark-sync.
    func offer(_ machine: SyncMachine) throws {
        syncing = machine
        try retrying("link", subject: syncSocket) { symlink(machine.socket, syncSocket) }
    }

    // Operators

    /// An operator's connection to the daemon.
    func manage() throws -> OperatorClient { try OperatorClient(daemon) }

    /// What is shown about waking an app.
    func waking(_ app: App) throws -> ManageInterface.Waking {
        try #require(try manage().app(app.name)?.waking)
    }

    /// Decides whether an app is woken, and returns when that is durable.
    func allow(_ app: App, _ isAllowed: Bool) throws {
        try manage().call(WakingInterface.SetAllowed(app: app.name, uid: 0, allowed: isAllowed))
    }

    /// Authorizes an app and starts it once, so that it requests what wakes it; returns when it sleeps.
    func introduce(_ app: App) throws {
        try manage().authorize(app.name, .always, uid: 0)
        try manager.start(app.unit)
        let isReady = try eventually(within: Patience.daemon) { try !app.lines().isEmpty && isAsleep(app) }
        let lines = try app.lines()
        try #require(isReady, "\(lines) \(daemon.log)")
    }

    /// Whether the last process of an app has ended.
    func isAsleep(_ app: App) throws -> Bool {
        try manager.starts.last { $0.unit == app.unit }.map { !processExists($0.processID) } ?? true
    }

    // Events

    /// Takes the path away and waits until the daemon has noticed that.
    func losePath() throws {
        for route in network.defaults() { try network.machine.ip("route del \(route)") }
        let isLost = try eventually(within: Patience.daemon) {
            try manage().call(ReachabilityInterface.GetPath()).path.status != .satisfied
        }
        try #require(isLost)
    }

    /// Takes the path away and waits until the daemon has stored that.
    func losePath(barrier: App) throws {
        try losePath()
        // Changes are stored in their order; one that waits for an earlier one of the same app is stored after the first.
        for _ in 0..<2 { try allow(barrier, false) }
    }

    /// Gives the path back.
    func regainPath() throws { for route in network.defaults() { try network.machine.ip("route replace \(route)") } }

    /// Drives into the yard, or out of it.
    func cross() throws {
        let target = north > 200 ? 0.0 : 400.0
        let step = (target - north) / 10
        for _ in 0..<10 {
            north += step
            report(speed: abs(step))
        }
        dwell()
    }

    /// Stays where the vehicle is for three seconds.
    func dwell() { for _ in 0..<3 { report(speed: 0) } }

    private func report(speed: Double) {
        second += 1
        let time = UTCTime(microseconds: start + Int64(second) * 1_000_000).iso8601(fraction: 3)
        gpsd.send(
            #"{"class":"TPV","device":"\#(ScriptedGPSD.device)","mode":3,"time":"\#(time)","lat":\#(47 + north / 111_195),"#
                + #""lon":-30.0,"altMSL":8.0,"eph":4.0,"eps":0.2,"track":0.0,"speed":\#(speed)}"# + "\r\n")
    }

    /// Waits until the daemon needs positions, over so many connections since the beginning.
    func waitForDemand(connections: Int = 1) throws {
        let isNeeded = eventually(within: Patience.daemon) {
            gpsd.connections >= connections && gpsd.received.contains("?WATCH")
        }
        try #require(isNeeded, "\(daemon.log)")
    }

    // Kills

    /// What is killed.
    enum Victim: String, CaseIterable { case app, waker, daemon, sync }

    /// Kills something, and starts it again as its service manager would; an app is started by its next event. Waits until the
    /// daemon needs positions, unless no app needs any.
    func kill(_ victim: Victim, _ app: App, isNeeded: Bool = true) throws {
        switch victim {
        case .app: try manager.kill(app.unit)
        case .waker:
            waker.signal(SIGKILL)
            _ = try waker.wait(seconds: 60)
            waker = try Self.waker(daemon, manager, network)
        case .sync: try syncing?.crash()
        case .daemon:
            let before = gpsd.connections
            daemon.signal(SIGKILL)
            #expect(try daemon.wait() == .killed(signal: SIGKILL))
            try daemon.restart()
            if isNeeded { try waitForDemand(connections: before + 1) }
        }
    }
}
