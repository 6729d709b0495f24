import Glibc
import Interfaces
import JSONText
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Who may know about regions.
@Suite(.waits, .timeLimit(.minutes(15)), .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct RegionAccessTests {
    private let apps: TestApps
    private let scene: RegionScene
    private let manage: OperatorClient

    /// The test's own program is the app, whoever runs it.
    init() throws {
        apps = try TestApps()
        try apps.add("trailmap", name: "Trail Map", program: try TestApps.ownProgram())
        scene = try RegionScene(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
        manage = try OperatorClient(scene.daemon)
    }

    private func client() throws -> Client {
        try Client(adopting: OtherUser.connect(to: scene.daemon.socketPath))
    }

    private func authorize(
        _ status: ManageInterface.Authorize.Status, _ accuracy: AccuracyAuthorization? = nil
    ) throws {
        try manage.call(
            ManageInterface.Authorize(app: "trailmap", uid: OtherUser.nobody, status: status, accuracy: accuracy))
    }

    /// A stream of the app's.
    private func stream() throws -> RawConnection {
        let connection = try RawConnection(adopting: OtherUser.connect(to: scene.daemon.socketPath))
        let call = #"{"method":"io.waymark.Regions.Monitor","parameters":{"monitor":"m"},"more":true}"#
        #expect(try connection.send(message: call) == .everything)
        return connection
    }

    /// The next messages of a stream.
    private func next(_ stream: RawConnection, _ count: Int = 1) throws -> [String] {
        let text = try #require(try stream.read(messages: count), "\(scene.daemon.log)")
        return try text.utf8.split(separator: 0).map { bytes in
            let reply = try Reply(parsing: Array(bytes))
            return try reply.error ?? RegionsInterface.Monitor.reply(reply.parameters).event.words
        }
    }

    private func add(_ regions: [String]) throws { try scene.add(regions, by: try client()) }

    private func monitor() throws -> RegionsInterface.MonitorSummary {
        try #require(try scene.monitors(try client()).first)
    }

    private func states() throws -> [String] {
        try scene.show(by: try client()).map { "\($0.state.rawValue) \($0.reason?.rawValue ?? "")" }
    }

    private static let yard = RegionScene.circle("yard", north: 0)

    @Test func `regions may be added before the app may have positions, and are monitored as soon as it may`() throws {
        try add([Self.yard])
        #expect(try monitor().state == .notDetermined && states() == ["unknown unauthorized"])
        #expect(try next(stream()) == [ErrorName.notDetermined.rawValue])
        #expect(scene.gpsd.connections == 0, "no receiver is needed")
        try authorize(.always)
        try scene.waitForDemand()
        let stream = try stream()
        scene.drive(0..<40) { 15 * Double($0) - 300 }
        #expect(try next(stream, 3) == ["1 determined outside yard", "2 entered yard", "3 left yard"])
        #expect(try monitor().state == .monitoring && states() == ["outside "])
    }

    /// The app is in use, and has entered the yard. Returns it with its stream, which has received that.
    private func enterInUse() throws -> (app: Client, stream: RawConnection) {
        let app = try client()
        _ = try app.call(LocationInterface.SetActivity(activity: .active))
        try scene.waitForDemand()
        let stream = try stream()
        scene.drive(0..<20) { 15 * Double($0) - 300 }
        #expect(try next(stream, 2) == ["1 determined outside yard", "2 entered yard"])
        return (app, stream)
    }

    private func leaveUse(_ app: Client) throws {
        _ = try app.call(LocationInterface.SetActivity(activity: .background))
        try #require(try eventually(within: Patience.daemon) { try monitor().state == .notInUse })
    }

    @Test func `an app that may have positions while in use gets events only then`() throws {
        try add([Self.yard])
        try authorize(.whileUsing)
        #expect(try monitor().state == .notInUse)
        let (app, stream) = try enterInUse()
        try leaveUse(app)
        #expect(try states() == ["unknown unauthorized"])
        #expect(eventually(within: Patience.daemon) { scene.gpsd.isDrained })
        let connections = scene.gpsd.connections
        _ = try app.call(LocationInterface.SetActivity(activity: .active))
        try #require(eventually(within: Patience.daemon) { scene.gpsd.connections > connections })
        try scene.waitForDemand()
        scene.drive(600..<605) { 15 * Double($0 - 600) + 1_000 }
        #expect(try next(stream) == ["3 left yard"], "found out when it is in use again")
    }

    @Test func `what is known is erased when the accuracy is reduced while the app is not in use`() throws {
        try add([Self.yard])
        try authorize(.whileUsing)
        let (app, _) = try enterInUse()
        try leaveUse(app)
        #expect(try monitor().pending == 2, "leaving use only interrupts")
        try authorize(.whileUsing, .reduced)
        #expect(try eventually(within: Patience.daemon) { try monitor().pending == 0 }, "\(scene.daemon.log)")
        try authorize(.whileUsing, .full)
        #expect(try monitor().pending == 0)
    }

    @Test(arguments: ["deny", "reduced", "services"])
    func `what is known is erased when the authorization is withdrawn`(_ how: String) throws {
        try add([Self.yard])
        try authorize(.always)
        try scene.waitForDemand()
        let stream = try stream()
        scene.drive(0..<20) { 15 * Double($0) - 300 }
        #expect(try next(stream, 2) == ["1 determined outside yard", "2 entered yard"])
        let error: ErrorName
        switch how {
        case "deny":
            try authorize(.deny)
            error = .denied
        case "reduced":
            try authorize(.always, .reduced)
            error = .accuracyReduced
        default:
            try manage.call(ManageInterface.SetServicesEnabled(enabled: false))
            error = .deniedGlobally
        }
        #expect(try next(stream) == [error.rawValue])
        #expect(try next(self.stream()) == [error.rawValue])
        #expect(try states() == ["unknown unauthorized"])
        #expect(try eventually(within: Patience.daemon) { try monitor().pending == 0 }, "\(scene.daemon.log)")
        try add([RegionScene.circle("mole", north: 100_000)])
        #expect(try monitor().regions == 2)
        let connections = scene.gpsd.connections
        if how == "services" {
            try manage.call(ManageInterface.SetServicesEnabled(enabled: true))
        } else {
            try authorize(.always, .full)
        }
        try #require(eventually(within: Patience.daemon) { scene.gpsd.connections > connections })
        try scene.waitForDemand()
        let later = try self.stream()
        scene.drive(100..<105, speed: 0) { _ in 0 }
        #expect(
            try next(later, 2) == ["3 determined inside yard", "4 determined outside mole"], "only what is new")
        let events = try manage.client.call(JournalInterface.Read(kinds: [.regionEventsErased]), timeout: .seconds(60))
        #expect(events.events.count == 1 && events.events.first?.app == "trailmap")
    }

    @Test func `a restriction forbids regions alone, and what was not acknowledged is withheld until it is lifted`()
        throws
    {
        try add([Self.yard])
        try authorize(.always)
        try scene.waitForDemand()
        let stream = try stream()
        scene.drive(0..<20) { 15 * Double($0) - 300 }
        #expect(try next(stream, 2) == ["1 determined outside yard", "2 entered yard"])
        try apps.restrict("[Restrictions]\nForbidRegions=yes\n")
        #expect(try next(stream) == [ErrorName.restricted.rawValue])
        #expect(try monitor().state == .restricted && states() == ["unknown unauthorized"])
        #expect(try next(self.stream()) == [ErrorName.restricted.rawValue])
        #expect(try manage.app("trailmap")?.status == .authorizedAlways, "positions are not concerned")
        let connections = scene.gpsd.connections
        try apps.restrict(nil)
        try #require(eventually(within: Patience.daemon) { scene.gpsd.connections > connections })
        #expect(try next(self.stream(), 2) == ["1 determined outside yard", "2 entered yard"])
    }

    @Test func `an operator's program sees every monitor, and coordinates and states only if it asks for them`() throws
    {
        try add([Self.yard])
        try authorize(.always)
        try scene.waitForDemand()
        scene.drive(0..<3, speed: 0) { _ in 0 }
        #expect(try eventually(within: Patience.daemon) { try monitor().last == 1 })
        let reader = try AppClient(try apps.program("reader"), to: scene.daemon.socketPath, as: geteuid())
        let list = try RegionsInterface.List.reply(
            try reader.call(RegionsInterface.Method.list.rawValue).parameters)
        #expect(list.monitors.map(\.app) == ["trailmap"] && list.monitors.map(\.uid) == [OtherUser.nobody])
        let show = RegionsInterface.Method.show.rawValue
        let name = #"{"monitor":"m","app":"trailmap","uid":\#(OtherUser.nobody)"#
        let listed = try reader.call(show, name + "}").parameters
        let text = String(decoding: listed.bytes, as: UTF8.self)
        #expect(text.contains("yard") && !text.contains("latitude") && !text.contains("inside"), "\(text)")
        func seen() throws -> Int {
            let read = try manage.client.call(JournalInterface.Read(kinds: [.positionsSeen]), timeout: .seconds(60))
            return read.events.filter { $0.app == nil }.count
        }
        #expect(try seen() == 0)
        let shown = try RegionsInterface.Show.reply(try reader.call(show, name + #","coordinates":true}"#).parameters)
        #expect(shown.regions.first?.state == .inside && shown.regions.first?.region.circle?.latitude == 47)
        #expect(try seen() == 1)
        #expect(
            try reader.call(show, #"{"monitor":"n","app":"trailmap"}"#).error == ErrorName.regionsNoSuchMonitor.rawValue
        )
        // The app itself may not name another's, and its own name is no other's.
        let own = try client()
        #expect(try own.call(RegionsInterface.Show(monitor: "m", app: "trailmap")).regions.count == 1)
        let refusal = try Refusal { _ = try own.call(RegionsInterface.Show(monitor: "m", app: "other")) }
        #expect(refusal?.error == .regionsNotOperator)
    }

    @Test func `a program that is neither an app nor an operator's has no regions`() throws {
        let stranger = try AppClient(try apps.program("stranger"), to: scene.daemon.socketPath)
        let reply = try stranger.call(
            RegionsInterface.Method.add.rawValue, #"{"monitor":"m","regions":[\#(Self.yard)]}"#)
        #expect(reply.error == ErrorName.regionsNotAllowed.rawValue)
        #expect(try stranger.call(RegionsInterface.Method.list.rawValue).error == ErrorName.regionsNotAllowed.rawValue)
    }

    @Test func `the regions of a user are erased with everything else of the user`() throws {
        try add([Self.yard])
        try authorize(.always)
        try scene.waitForDemand()
        let stream = try stream()
        scene.drive(0..<3, speed: 0) { _ in 0 }
        #expect(try next(stream) == ["1 determined inside yard"])
        try manage.call(ManageInterface.EraseUser(uid: OtherUser.nobody))
        _ = try #require(try stream.read(messages: 1))
        #expect(try scene.monitors(try client()) == [])
        #expect(try manage.status().regions.monitors == 0)
        try scene.daemon.restart()
        #expect(try scene.monitors(try client()) == [])
    }
}
