import Glibc
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Waymark

/// An actor that is not the main one.
@globalActor private actor Screen {
    static let shared = Screen()
}

/// A delegate that records its calls.
@Screen private final class Display: @Screen LocationManagerDelegate {
    private let manager: LocationManager
    private(set) var lines: [String] = []
    private(set) var positions: [Position] = []

    init(_ client: WaymarkClient) {
        manager = LocationManager(client: client)
        manager.delegate = self
    }

    func use(_ body: @Screen @Sendable (LocationManager) -> Void) { body(manager) }

    func count(_ line: String) -> Int { lines.count { $0 == line } }

    private func add(_ line: String) {
        Screen.shared.preconditionIsolated()
        lines.append(line)
    }

    func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
        add("\(manager.authorizationStatus) \(manager.accuracyAuthorization)")
    }
    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Position]) {
        add("updated")
        positions += locations
        if manager.location != locations.last { add("the last position is another one") }
    }
    func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
        add("failed \(error.code)")
    }
    func locationManagerDidPauseLocationUpdates(_ manager: LocationManager) { add("paused") }
    func locationManagerDidResumeLocationUpdates(_ manager: LocationManager) { add("resumed") }
    func locationManager(_ manager: LocationManager, didVisit visit: Visit) {
        add(visit.departure == nil ? "arrived" : "departed")
    }
    func locationManager(_ manager: LocationManager, didUpdateHeading newHeading: Heading) {
        add("heading \(manager.heading?.trueHeading ?? -1)")
    }
    func locationManager(_ manager: LocationManager, didStartMonitoringFor region: CircularRegion) {
        add("monitors \(region.identifier)")
    }
    func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) {
        add("entered \(region.identifier)")
    }
    func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion) {
        add("exited \(region.identifier)")
    }
    func locationManager(_ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion) {
        add("\(region.identifier) \(state)")
    }
    func locationManager(
        _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: LocationError
    ) {
        add("no \(region?.identifier ?? "region") \(error.code)")
    }
}

/// `LocationManager` with a real daemon: the test itself is the app, known by its program.
@Suite(.waits, .timeLimit(.minutes(15))) struct LocationManagerTests {
    private let apps: TestApps

    init() throws {
        apps = try TestApps()
        try apps.add("compass", name: "Compass", program: try TestApps.ownProgram())
    }

    private func start(gpsd: String = "none") throws -> DaemonProcess {
        try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), gpsd: gpsd, more: ["--simulated"],
            knowsLogins: false)
    }

    private func scene() throws -> RegionScene {
        try RegionScene(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
    }

    private func authorize(_ status: ManageInterface.Authorize.Status, _ daemon: DaemonProcess) throws {
        try OperatorClient(daemon).authorize("compass", status, uid: geteuid())
    }

    private func display(_ daemon: DaemonProcess) async -> Display {
        await Display(WaymarkClient(socketPath: daemon.socketPath))
    }

    private func wait(_ display: Display, for line: String, _ count: Int = 1) async throws {
        let isThere = try await eventually(within: Patience.daemon) { await display.count(line) >= count }
        let lines = await display.lines
        try #require(isThere, "\(lines) has not \(line)")
    }

    @Test func `what was started follows the app's authorization, on the actor that made the manager`() async throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try start(gpsd: receiver.address)
        let display = await display(daemon)
        await display.use { $0.startUpdatingLocation() }
        try await wait(display, for: "notDetermined full")
        try authorize(.whileUsing, daemon)
        try await wait(display, for: "authorizedWhenInUse full")
        #expect(await display.lines == ["notDetermined full", "authorizedWhenInUse full"])

        let session = ActivitySession(client: WaymarkClient(socketPath: daemon.socketPath))
        _ = try await session.declared()
        try await wait(display, for: "updated", 2)
        try authorize(.deny, daemon)
        try await wait(display, for: "failed denied")
        try await wait(display, for: "denied full")
        let count = await display.count("updated")
        try authorize(.whileUsing, daemon)
        try await wait(display, for: "authorizedWhenInUse full", 2)
        try await wait(display, for: "updated", count + 1)

        await display.use { $0.stopUpdatingLocation() }
        let last = await display.lines
        let reader = try UpdateReader(daemon.socketPath)
        defer { reader.stop() }
        #expect(eventually { reader.positions.count >= 10 })
        #expect(await display.lines == last)
        // Before the first position there may have been none.
        let failures = last.filter { $0.hasPrefix("failed") && $0 != "failed locationUnknown" }
        #expect(failures == ["failed denied"], "\(last)")
    }

    @Test func `a property that is changed is in force at once, and positions pause while the machine does not move`()
        async throws
    {
        let scene = try scene()
        defer { scene.gpsd.stop() }
        try authorize(.always, scene.daemon)
        let display = await display(scene.daemon)
        await display.use {
            $0.distanceFilter = 100
            $0.startUpdatingLocation()
        }
        // Another app needs positions all the time: otherwise the receiver would rest between two requests.
        let reader = try UpdateReader(scene.daemon.socketPath)
        defer { reader.stop() }
        try scene.waitForDemand()
        scene.drive(0..<1) { 15 * Double($0) }
        try await wait(display, for: "updated")
        #expect(reader.firstPosition() != nil)
        scene.drive(1..<10) { 15 * Double($0) }
        try await wait(display, for: "updated", 2)
        var latitudes = await display.positions.map { ($0.coordinate.latitude - 47) * 111_195 }
        #expect(latitudes[1] - latitudes[0] >= 100, "\(latitudes)")

        await display.use {
            $0.distanceFilter = LocationDistance.none
            $0.activityType = .fitness
        }
        // The new request begins with the last position.
        try await wait(display, for: "updated", 3)
        scene.drive(10..<11) { 15 * Double($0) }
        let isThere = try await eventually {
            latitudes = await display.positions.map { ($0.coordinate.latitude - 47) * 111_195 }
            return abs((latitudes.last ?? 0) - 150) < 1
        }
        try #require(isThere, "\(latitudes)")

        scene.drive(11..<200, speed: 0) { _ in 165 }
        try await wait(display, for: "paused")
        scene.drive(200..<230) { 165 + 15 * Double($0 - 199) }
        try await wait(display, for: "resumed")
        let lines = await display.lines
        #expect(lines.count { $0 == "paused" } == 1 && lines.count { $0 == "resumed" } == 1, "\(lines)")
        let resumed = try #require(lines.firstIndex(of: "resumed"))
        #expect(lines[resumed - 1] == "paused" && lines.contains("authorizedAlways full"))
    }

    @Test func `visits, headings and significant changes are reported until they are stopped`() async throws {
        let scene = try scene()
        defer { scene.gpsd.stop() }
        try authorize(.always, scene.daemon)
        let display = await display(scene.daemon)
        await display.use {
            $0.startMonitoringVisits()
            $0.startUpdatingHeading()
            $0.startMonitoringSignificantLocationChanges()
        }
        try scene.waitForDemand()
        // Each has a stream of its own.
        #expect(try eventually { try OperatorClient(scene.daemon).status().clients.streams == 3 })
        let heading = { (degrees: Double) in
            #"{"class":"ATT","device":"\#(ScriptedGPSD.device)","heading":\#(degrees)}"# + "\r\n"
        }
        #expect(
            try await eventually {
                scene.gpsd.send(heading(10))
                return await display.count("heading 10.0") > 0
            })
        scene.drive(0..<1) { _ in -600 }
        try await wait(display, for: "updated")
        scene.drive(1..<41) { 15 * Double($0 - 40) }
        scene.drive(41..<441, speed: 0) { _ in 0 }
        try await wait(display, for: "arrived")
        await display.use { $0.stopUpdatingHeading() }
        scene.gpsd.send(heading(90))
        scene.drive(441..<481) { 15 * Double($0 - 440) }
        try await wait(display, for: "departed")
        #expect(await display.count("heading 90.0") == 0)
        #expect(await display.positions.count <= 3, "significant changes are rare")
    }

    @Test func `regions are monitored until they are stopped, also by a manager that is made later`() async throws {
        let scene = try scene()
        defer { scene.gpsd.stop() }
        try authorize(.always, scene.daemon)
        let center = try #require(Coordinate(latitude: 47, longitude: -30))
        let yard = CircularRegion(center: center, radius: 100, identifier: "yard")
        var display: Display? = await display(scene.daemon)
        if let display {
            await display.use {
                $0.startMonitoring(for: yard)
                $0.startMonitoring(for: CircularRegion(center: center, radius: -1, identifier: "none"))
            }
            try await wait(display, for: "monitors yard")
            try await wait(display, for: "no none regionMonitoringFailure")
            await display.use { #expect($0.monitoredRegions == [yard]) }
            try scene.waitForDemand()
            scene.drive(0..<10) { _ in 1_000 }
            try await wait(display, for: "yard outside")
            scene.drive(10..<70) { 1_000 - 15 * Double($0 - 10) }
            scene.drive(70..<100, speed: 0) { _ in 100 - 15 * 6 }
            try await wait(display, for: "entered yard")
            try await wait(display, for: "yard inside")
            await display.use { $0.requestState(for: yard) }
            try await wait(display, for: "yard inside", 2)
            // An event that is not acknowledged yet would come again.
            #expect(try eventually { try scene.monitors().allSatisfy { $0.pending == 0 } })
        }
        display = nil
        // The machine leaves while nobody listens.
        scene.drive(100..<200) { 15 * Double($0 - 100) }
        let later = await self.display(scene.daemon)
        try await wait(later, for: "exited yard")
        await later.use {
            #expect($0.monitoredRegions == [yard])
            $0.stopMonitoring(for: yard)
            #expect($0.monitoredRegions.isEmpty)
        }
        let client = WaymarkClient(socketPath: scene.daemon.socketPath)
        #expect(
            try await eventually { try await client.monitor("LocationManager").identifiers.isEmpty })
        let lines = await later.lines
        #expect(!lines.contains { $0.hasPrefix("entered") || $0.hasPrefix("no ") }, "\(lines)")
    }

    @Test func `one position, or the reason why there is none`() async throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try start(gpsd: receiver.address)
        try authorize(.deny, daemon)
        let display = await display(daemon)
        await display.use { $0.requestLocation() }
        try await wait(display, for: "failed denied")
        try authorize(.always, daemon)
        try await wait(display, for: "authorizedAlways full")
        #expect(await display.count("updated") == 0, "a request is over when it has failed")
        await display.use {
            $0.requestLocation()
            $0.requestLocation()
        }
        try await wait(display, for: "updated")
        await display.use { $0.requestLocation() }
        try await wait(display, for: "updated", 2)
        #expect(await display.count("updated") == 2)
    }

    @Test func `a manager reports once that there is no daemon, and continues when there is one`() async throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try start(gpsd: receiver.address)
        try authorize(.always, daemon)
        #expect(try daemon.stop() == .exited(0))
        let display = await display(daemon)
        await display.use { $0.startUpdatingLocation() }
        // The authorization and the positions.
        try await wait(display, for: "failed network", 2)
        try daemon.restart()
        try await wait(display, for: "authorizedAlways full")
        try await wait(display, for: "updated")
        #expect(await display.count("failed network") == 2)
        let count = await display.count("updated")
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        try await wait(display, for: "updated", count + 2)
    }

    @Test func `with background updates the app stays in use until positions are stopped`() async throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try start(gpsd: receiver.address)
        try authorize(.whileUsing, daemon)
        let display = await display(daemon)
        let holds = { try OperatorClient(daemon).app("compass")?.holds }
        await display.use {
            $0.allowsBackgroundLocationUpdates = true
            $0.startUpdatingLocation()
        }
        try await wait(display, for: "authorizedWhenInUse full")
        #expect(try holds() == 0)
        let session = ActivitySession(client: WaymarkClient(socketPath: daemon.socketPath))
        _ = try await session.declared()
        #expect(try eventually { try holds() == 1 })
        session.setActivity(.background)
        #expect(try await session.declared().isInUse)
        let count = await display.count("updated")
        try await wait(display, for: "updated", count + 3)
        await display.use { $0.stopUpdatingLocation() }
        #expect(try eventually { try holds() == 0 })
    }

    @Test func `the person is asked when the app is in use`() async throws {
        let daemon = try start()
        let display = await display(daemon)
        await display.use { $0.requestWhenInUseAuthorization() }
        try await wait(display, for: "notDetermined full")
        let client = WaymarkClient(socketPath: daemon.socketPath)
        #expect(try OperatorClient(daemon).requests().isEmpty)
        let session = ActivitySession(client: client)
        _ = try await session.declared()
        #expect(try eventually { try OperatorClient(daemon).requests().map(\.question.kind) == [.whenInUse] })
        #expect(await display.lines == ["notDetermined full"])
    }

    @Test func `a manager ends with its last reference`() async throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try start(gpsd: receiver.address)
        try authorize(.always, daemon)
        var display: Display? = await display(daemon)
        await display?.use { $0.startUpdatingLocation() }
        if let display { try await wait(display, for: "updated") }
        #expect(try OperatorClient(daemon).status().clients.streams > 0)
        display = nil
        #expect(try eventually { try OperatorClient(daemon).status().clients.streams == 0 })
    }
}
