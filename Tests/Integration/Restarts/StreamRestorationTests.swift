import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink
import Waymark

/// Streams of every kind, over the daemon's end, and the streams that the library continues by itself.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct StreamRestorationTests {
    private let scene: RestorationScene

    init() throws { scene = try RestorationScene() }

    @Test func `the streams of an agent, of satellites and of an uploader continue with their connections`() throws {
        defer { scene.receiver.stop() }
        let other = try scene.apps.program("compass")
        try scene.apps.add("compass", name: "Compass", program: other)
        let host = try scene.host()
        try OperatorClient(host.socketPath).authorize("trailmap", .always, uid: OtherUser.nobody)
        let watching = try AppClient(scene.agent, to: host.socketPath)
        #expect(try watching.register().isEmpty)
        let satellites = try StreamLog(host.socketPath, LocationInterface.Method.monitorSatellites.rawValue)
        let uploader = try AppClient(scene.program, to: host.socketPath)
        try uploader.begin(UploadsInterface.Method.attach.rawValue, #"{"name":"home"}"#, more: true)
        #expect(try uploader.next()?.error == nil)
        let uploads = try StreamLog(host.socketPath, UploadsInterface.Method.monitor.rawValue)
        #expect(eventually { !satellites.replies.isEmpty && !uploads.replies.isEmpty })
        try host.restart(SIGTERM)
        let before = satellites.replies.count
        #expect(eventually { satellites.replies.count > before }, "\(host.log)")
        // After the restart a prompt reaches the agent, a command the uploader, and the result its watcher.
        let manage = try OperatorClient(host.socketPath)
        let app = try scene.active(host.socketPath, other)
        try app.begin(LocationInterface.Method.requestWhenInUse.rawValue)
        var question: Question?
        for _ in 0..<5 where question == nil {
            guard let message = try watching.nextMessage() else { break }
            if case .prompt(let asked) = message { question = asked }
        }
        #expect(question?.app == "compass", "\(host.log)")
        let reported = uploads.replies.count
        try manage.client.call(UploadsInterface.Method.pause.rawValue, ["name": "home"], timeout: .seconds(60))
        let order = try #require(try uploader.next(), "\(host.log)")
        #expect(
            UploadsInterface.Attach.Reply(order.parameters) == UploadsInterface.Attach.Reply(isPaused: true), "\(order)"
        )
        #expect(eventually { uploads.replies.count > reported })
        #expect([satellites, uploads].compactMap(\.ending) == [])
        [satellites, uploads].forEach { $0.stop() }
    }

    @Test func `the library begins a background session again, and its streams continue`() async throws {
        defer { scene.receiver.stop() }
        try scene.apps.add("own", name: "Own", program: try TestApps.ownProgram())
        let daemon = try scene.daemon()
        try OperatorClient(daemon).authorize("own", .whileUsing, uid: geteuid())
        let client = WaymarkClient(socketPath: daemon.socketPath)
        let session = ActivitySession(.active, client: client)
        _ = try await session.declared()
        let hold = BackgroundActivitySession(client: client)
        _ = try await hold.begun()
        session.setActivity(.background)
        #expect(try await session.declared().isInUse)
        var updates = client.updates().makeAsyncIterator()
        #expect(try await updates.next() != nil)
        for signal in [SIGTERM, SIGKILL, SIGKILL] {
            daemon.signal(signal)
            _ = try daemon.wait()
            try daemon.restart()
            #expect(try eventually { try OperatorClient(daemon).app("own")?.holds == 1 }, "\(daemon.log)")
            var update = try #require(try await updates.next())
            for _ in 0..<50 where update.position == nil { update = try #require(try await updates.next()) }
            #expect(update.position != nil)
        }
        guard case .held = hold.state else {
            Issue.record("the session is \(hold.state)")
            return
        }
        hold.invalidate()
        #expect(try eventually { try OperatorClient(daemon).app("own")?.holds == 0 })
    }
}
