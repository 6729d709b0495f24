import Glibc
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Waymark

/// `ServiceSession`, `LocationUpdate.liveUpdates(_:client:)` and the members of `LocationMonitor` after Core Location, with
/// a real daemon: the test itself is the app.
@Suite(.waits, .timeLimit(.minutes(15))) struct ServiceSessionTests {
    private let apps: TestApps

    init() throws {
        apps = try TestApps()
        try apps.add(
            "compass", name: "Compass", program: try TestApps.ownProgram(),
            "[TemporaryUsage]\nNavigation=Turns the dial.")
    }

    private func start(gpsd: String = "none") throws -> DaemonProcess {
        try DaemonProcess(
            in: apps.directory, configuration: apps.configuration() + TestApps.patientReceiver, gpsd: gpsd,
            more: ["--simulated"], knowsLogins: false)
    }

    private func authorize(
        _ status: ManageInterface.Authorize.Status, _ daemon: DaemonProcess, accuracy: AccuracyAuthorization? = nil
    ) throws {
        try OperatorClient(daemon).authorize("compass", status, uid: geteuid(), accuracy: accuracy)
    }

    private func requests(_ daemon: DaemonProcess) throws -> [PromptKind] {
        try OperatorClient(daemon).requests().map(\.question.kind)
    }

    private func diagnostic(
        _ session: ServiceSession, where isWanted: (ServiceSession.Diagnostic) -> Bool
    ) async -> ServiceSession.Diagnostic? {
        await session.diagnostics.first(where: isWanted)
    }

    @Test func `a session asks when the app is in use, and reports what is decided`() async throws {
        let daemon = try start()
        let client = WaymarkClient(socketPath: daemon.socketPath)
        let session = ServiceSession(authorization: .always, client: client)
        #expect(await diagnostic(session) { _ in true }?.status == .notDetermined)
        #expect(try requests(daemon).isEmpty)
        let activity = ActivitySession(client: client)
        _ = try await activity.declared()
        #expect(try eventually { try requests(daemon).count == 1 })
        try authorize(.whileUsing, daemon)
        #expect(await diagnostic(session) { $0.status == .authorizedWhenInUse } != nil)
        try authorize(.always, daemon)
        #expect(await diagnostic(session) { $0.status == .authorizedAlways }?.isInUse == true)
        session.invalidate()
        #expect(await session.states().reduce(into: []) { $0.append($1) }.last == .ended(nil))
        #expect(session.state == .ended(nil))
    }

    @Test(.enabled(if: OtherUser.isPossible, "only root can hide logind from a daemon"))
    func `a person answers the prompt of a session in a terminal, and takes the answer back`() async throws {
        let daemon = try DaemonProcess(
            in: apps.directory,
            configuration: apps.configuration(agents: [try Products.resolvedProgram("waymark-agent")]),
            more: ["--simulated"], knowsLogins: false)
        let terminal = try TypedTerminal(
            Products.resolvedProgram("waymark"), ["agent"],
            environment: ["WAYMARK_SOCKET": daemon.socketPath, "NO_COLOR": "1", "LC_ALL": "C"])
        #expect(terminal.shows("Waiting for questions."))
        let client = WaymarkClient(socketPath: daemon.socketPath)
        let session = ServiceSession(authorization: .whenInUse, client: client)
        let activity = ActivitySession(client: client)
        _ = try await activity.declared()
        #expect(terminal.shows("\r\n> "), "\(terminal.text) \(daemon.log)")
        #expect(terminal.text.contains("Compass would like to use your location"))
        #expect(await diagnostic(session) { $0.authorizationRequestInProgress } != nil)
        terminal.type("2\n")
        let allowed = await diagnostic(session) { $0.status == .authorizedWhenInUse }
        #expect(allowed?.isInUse == true && allowed?.authorizationRequestInProgress == false)
        try authorize(.deny, daemon)
        #expect(await diagnostic(session) { $0.status == .denied }?.authorizationDenied == true)
    }

    @Test func `a session asks for full accuracy, and reports that the manifest lacks the purpose`() async throws {
        let daemon = try start()
        let client = WaymarkClient(socketPath: daemon.socketPath)
        try authorize(.whileUsing, daemon, accuracy: .reduced)
        let activity = ActivitySession(client: client)
        _ = try await activity.declared()
        let session = ServiceSession(
            authorization: .whenInUse, fullAccuracyPurposeKey: "Navigation", client: client)
        #expect(try eventually { try requests(daemon) == [.temporaryFullAccuracy] })
        session.invalidate()
        let other = ServiceSession(authorization: .none, fullAccuracyPurposeKey: "Astrology", client: client)
        #expect(
            eventually {
                if case .notAsked(.purposeMissing(key: "Astrology", _)) = other.state { true } else { false }
            }, "\(other.state)")
    }

    @Test func `a session waits for the daemon, and ends with its object`() async throws {
        let daemon = try start()
        #expect(try daemon.stop() == .exited(0))
        let client = WaymarkClient(socketPath: daemon.socketPath)
        var session: ServiceSession? = ServiceSession(authorization: .none, client: client)
        try daemon.restart()
        if let session { #expect(await diagnostic(session) { _ in true }?.status == .notDetermined) }
        let states = try #require(session).states()
        session = nil
        #expect(await states.reduce(into: []) { $0.append($1) }.last == .ended(nil))
    }

    @Test func `live updates continue over a denial, and say why there is no position`() async throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try start(gpsd: receiver.address)
        var updates = LocationUpdate.liveUpdates(.fitness, client: WaymarkClient(socketPath: daemon.socketPath))
            .makeAsyncIterator()
        func next(_ isWanted: (LocationUpdate) -> Bool) async throws -> LocationUpdate? {
            while let update = try await updates.next() { if isWanted(update) { return update } }
            return nil
        }
        let first = try #require(try await updates.next())
        #expect(first.location == nil && first.authorizationStatus == .notDetermined)
        try authorize(.always, daemon)
        #expect(try await next { $0.location != nil }?.authorizationStatus == .authorizedAlways)
        try authorize(.deny, daemon)
        let denied = try #require(try await next { $0.location == nil })
        #expect(denied.authorizationDenied && denied.authorizationStatus == .denied)
        try authorize(.always, daemon)
        #expect(try await next { $0.location != nil } != nil)
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        for _ in 0..<3 { #expect(try await next { $0.location != nil } != nil) }
    }

    @Test func `a monitor is made by its name, and has circles and last events`() async throws {
        let scene = try RegionScene(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
        defer { scene.gpsd.stop() }
        try authorize(.always, scene.daemon)
        let monitor = try await LocationMonitor("yard", client: WaymarkClient(socketPath: scene.daemon.socketPath))
        let center = try #require(Coordinate(latitude: 47, longitude: -30))
        let condition = LocationMonitor.CircularGeographicCondition(center: center, radius: 100)
        try await monitor.add(condition, identifier: "gate", assuming: .unsatisfied)
        let before = try #require(try await monitor.record(for: "gate"))
        #expect(before.lastEvent.state == .unknown && before.lastEvent.identifier == "gate")
        #expect(before.condition == .circle(center: center, radius: 100))
        try scene.waitForDemand()
        scene.drive(0..<60) { 15 * Double($0 - 60) }
        scene.drive(60..<120, speed: 0) { _ in 0 }
        var last: LocationMonitor.Event?
        for try await event in monitor.events where event.state == .satisfied {
            last = event
            break
        }
        let event = try #require(last)
        let record = try #require(try await monitor.record(for: "gate"))
        #expect(record.lastEvent.state == .satisfied && record.lastEvent.date == event.date)
    }
}
