import Glibc
import JSONText
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Waymark

/// The example apps in Swift, with a daemon. Each is a package of its own, which `Scripts/build-examples` builds.
@Suite(.waits) struct ExampleAppTests {
    /// A running example, whose output is read line by line.
    private final class Running {
        private let process: ChildProcess
        private(set) var text = ""

        init(_ path: String, _ arguments: [String], _ daemon: DaemonProcess) throws {
            process = try ChildProcess(
                ChildProcess.Launch(
                    path, arguments, environment: ["WAYMARK_SOCKET": daemon.socketPath], output: .pipe, error: .pipe,
                    isGuarded: true))
        }

        var lines: [Substring] { text.split(separator: "\n") }

        /// Reads until there are so many lines with this beginning.
        func wait(for beginning: String, _ count: Int = 1) throws {
            let deadline = PollDeadline(seconds: 60)
            while lines.count(where: { $0.hasPrefix(beginning) }) < count,
                try deadline.poll(process.outputPipe, for: POLLIN)
            {
                var buffer = [UInt8](repeating: 0, count: 4_096)
                let count = Glibc.read(process.outputPipe, &buffer, buffer.count)
                guard count > 0 else { break }
                text += String(decoding: buffer[..<count], as: UTF8.self)
            }
            try #require(lines.count { $0.hasPrefix(beginning) } >= count, "no line \(beginning): \(text)")
        }

        /// Waits until it has ended by itself.
        func end() throws -> Platform.ExitStatus? { try process.wait(seconds: 60) }

        func stop() throws { _ = try process.terminate(graceSeconds: 5) }
    }

    private let apps: TestApps

    init() throws { apps = try TestApps() }

    /// An example as the app of its manifest, except that the program is identified by its path.
    private func install(_ name: String, folder: String) throws -> String {
        let program = try Products.file(".build/examples/debug/\(name)")
        let text = String(
            decoding: try BoundedFile.bytes(
                of: Products.file("Examples/Swift/\(folder)/\(name).app"), limit: 1 << 16), as: UTF8.self)
        // Nothing starts it here: [Wake] needs a service.
        let keys = text.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0 != "[Wake]" }.filter {
            line in
            !["Exec=", "UserUnit=", "Unit=", "AlwaysInUse="].contains { line.hasPrefix($0) }
        }
        let resolved = try #require(
            realpath(program, nil).map { path in
                defer { free(path) }
                return String(cString: path)
            })
        let manifest = keys.joined(separator: "\n").replacing("[App]\n", with: "[App]\nExec=\(resolved)\n")
        try apps.directory.write("apps/\(name).app", manifest)
        return resolved
    }

    private func scene() throws -> RegionScene {
        try RegionScene(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
    }

    @Test func `the odometer measures a walk and pauses with it`() throws {
        let program = try install("odometer", folder: "Odometer")
        let scene = try scene()
        defer { scene.gpsd.stop() }
        let walk = try Running(program, [], scene.daemon)
        try walk.wait(for: "Nobody has decided")
        try OperatorClient(scene.daemon).authorize("odometer", .whileUsing, uid: geteuid())
        try walk.wait(for: "The walk is measured.")
        try scene.waitForDemand()
        // The walk begins when its first position is reported; the last one of the others is 144 m from it.
        scene.drive(0..<1, speed: 1.5) { _ in 0 }
        try walk.wait(for: "0 m")
        scene.drive(1..<100, speed: 1.5) { 1.5 * Double($0) }
        try walk.wait(for: "14")
        scene.drive(100..<300, speed: 0) { _ in 150 }
        try walk.wait(for: "Pause 1 after 1")
        try OperatorClient(scene.daemon).authorize("odometer", .deny, uid: geteuid())
        try walk.wait(for: "The walk cannot be measured: this app")
        try walk.stop()
    }

    @Test func `the commute reports places that are left and reached`() throws {
        let program = try install("commute", folder: "Commute")
        let scene = try scene()
        defer { scene.gpsd.stop() }
        try OperatorClient(scene.daemon).authorize("commute", .always, uid: geteuid())
        let commute = try Running(program, ["47", "-30", "47.045", "-30"], scene.daemon)
        try #require(try eventually { try scene.monitors().first?.regions == 2 }, "\(scene.daemon.log)")
        try scene.waitForDemand()
        scene.drive(0..<20, speed: 0) { _ in 0 }
        try commute.wait(for: "At home.")
        scene.drive(20..<80) { 15 * Double($0 - 20) }
        try commute.wait(for: "Not at home.")
        // The positions of before are over when the departure is handled.
        scene.drive(80..<370) { 15 * Double($0 - 20) }
        try commute.wait(for: "On the road")
        scene.drive(370..<420, speed: 0) { _ in 5_000 }
        try commute.wait(for: "At work.")
        try commute.stop()
    }

    @Test func `the geofence reports each crossing once, and ends`() throws {
        let program = try install("geofence", folder: "Geofence")
        let scene = try scene()
        defer { scene.gpsd.stop() }
        let first = try Running(program, ["47", "-30", "100"], scene.daemon)
        try first.wait(for: "Waiting for `waymark authorize")
        try OperatorClient(scene.daemon).authorize("geofence", .always, uid: geteuid())
        #expect(try first.end() == .exited(0), "nothing has happened yet")
        try scene.waitForDemand()
        func report(_ ending: String) throws {
            try #require(try eventually { try scene.monitors().first?.pending == 1 }, "\(scene.daemon.log)")
            let next = try Running(program, ["47", "-30", "100"], scene.daemon)
            try next.wait(for: scene.time(0).iso8601().prefix(4) + "")
            #expect(try next.end() == .exited(0))
            #expect(next.lines.count == 1 && next.lines[0].hasSuffix(ending), "\(next.text)")
            #expect(try scene.monitors().allSatisfy { $0.pending == 0 })
        }
        scene.drive(0..<10) { _ in 1_000 }
        try report("left yard")
        scene.drive(10..<80) { 1_000 - 15 * Double($0 - 10) }
        scene.drive(80..<140, speed: 0) { _ in 0 }
        try report("arrived at yard")
    }

    @Test(.enabled(if: SleepScene.isPossible, "a network and control groups of a test's own need root"))
    func `the geofence is woken at each border`() throws {
        let program = try Products.file(".build/examples/debug/geofence")
        let scene = try SleepScene(["geofence"], settings: "", causes: "regions") { _ in [program, "47", "-30", "100"] }
        let geofence = scene.apps[0]
        try scene.manage().authorize(geofence.name, .always, uid: 0)
        try scene.manager.start(geofence.unit)
        var endings: [String] = []
        func isReported(_ ending: String?) throws -> Bool {
            if let ending { endings.append(ending) }
            return try eventually(within: Patience.daemon) {
                let lines = try geofence.output()
                guard lines.count == endings.count, zip(lines, endings).allSatisfy({ $0.hasSuffix($1) }) else {
                    return false
                }
                return try scene.manager.starts.count == endings.count + 1 && scene.isAsleep(geofence)
            }
        }
        #expect(try isReported(nil))
        try scene.waitForDemand()
        scene.dwell()
        #expect(try isReported("left yard"), "\(scene.daemon.log)")
        try scene.cross()
        // The border has to be left behind for ten seconds.
        for _ in 0..<4 { scene.dwell() }
        #expect(try isReported("arrived at yard"), "\(scene.daemon.log)")
        try scene.cross()
        for _ in 0..<4 { scene.dwell() }
        #expect(try isReported("left yard"), "\(scene.daemon.log)")
    }

    @Test func `the trip recorder writes what was recorded while it did not run`() throws {
        let program = try install("trip-recorder", folder: "TripRecorder")
        let scene = try scene()
        defer { scene.gpsd.stop() }
        try OperatorClient(scene.daemon).authorize("trip-recorder", .always, uid: geteuid())
        let start = try CompletedProcess.run(
            program, ["start"], environment: ["WAYMARK_SOCKET": scene.daemon.socketPath])
        #expect(start.status.isSuccess && start.output.hasPrefix("The trip is "), "\(start.error)")
        try scene.waitForDemand()
        scene.drive(0..<30) { 15 * Double($0) }
        let writer = try Running(program, ["write"], scene.daemon)
        try writer.wait(for: "{", 25)
        let points = try writer.lines.prefix(25).map { try JSON.parse(Array($0.utf8)) }
        #expect(points.compactMap { $0["properties"]?["sequence"]?.integerValue } == (1...25).map { $0 })
        #expect(points.allSatisfy { $0["geometry"]?["coordinates"]?.arrayValue?.first?.numberValue == -30 })
        try writer.stop()
    }
}
