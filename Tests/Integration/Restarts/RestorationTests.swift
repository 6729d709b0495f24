import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Rights that last as long as an app is in use continue over a restart of the daemon, whether it was stopped or killed, and with or
/// without a service manager that stores connections.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct RestorationTests {
    private let scene: RestorationScene

    init() throws { scene = try RestorationScene() }

    @Test func `a grant for once survives orderly restarts with its connection, without a prompt`() throws {
        defer { scene.receiver.stop() }
        let host = try scene.host()
        let app = try scene.streamingOnce(host.socketPath)
        for round in 1...3 {
            try host.kill(SIGTERM)
            try app.drain()
            try host.start()
            #expect(try scene.position(app) != nil, "after restart \(round)\n\(host.log.suffix(3_000))")
        }
        let manage = try OperatorClient(host.socketPath)
        #expect(try manage.app("trailmap")?.permission == .once)
        #expect(try manage.requests().isEmpty)
        #expect(try eventually { try scene.events(host.socketPath, "stateRestored").count >= 3 })
        // The grant belongs to this process: it ends with the process.
        try app.kill()
        #expect(try eventually { try manage.app("trailmap")?.permission == .notDetermined })
    }

    @Test func `after a crash, an app counts as in use until shortly before it, however long it was in use`() throws {
        defer { scene.receiver.stop() }
        try scene.apps.add("own", name: "Own", program: try TestApps.ownProgram())
        let host = try scene.host()
        let first = try connectActive(host.socketPath)
        try first.call(LocationInterface.Method.requestWhenInUse.rawValue, timeout: .seconds(60))
        try scene.answer(host.socketPath, "allowOnce")
        // Longer than the ten seconds after which the grant would end.
        let deadline = PollDeadline(seconds: 11)
        while !deadline.hasPassed { #expect(try accuracy(of: first) == "full") }
        try host.restart(SIGKILL)
        #expect(try accuracy(of: connectActive(host.socketPath)) == "full", "\(host.log.suffix(3_000))")
    }

    @Test func `a grant for once ends with a process that ends while the daemon is stopped`() throws {
        defer { scene.receiver.stop() }
        let host = try scene.host()
        let app = try scene.streamingOnce(host.socketPath)
        try host.kill(SIGKILL)
        try app.kill()
        try host.start()
        let other = try AppClient(scene.program, to: host.socketPath)
        let declared = try other.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#)
        #expect(declared.parameters["authorization"]?["status"] == "notDetermined", "\(declared)")
        #expect(try other.call(LocationInterface.Method.getPosition.rawValue).error == ErrorName.notDetermined.rawValue)
        // The app may request again at once.
        try other.call(LocationInterface.Method.requestWhenInUse.rawValue)
        #expect(try OperatorClient(host.socketPath).requests().count == 1)
        #expect(try OperatorClient(host.socketPath).app("trailmap")?.permission == .notDetermined)
    }

    @Test func `ten seconds without a daemon are ten seconds out of use`() throws {
        defer { scene.receiver.stop() }
        let host = try scene.host()
        let app = try scene.streamingOnce(host.socketPath)
        try host.kill(SIGTERM)
        try app.drain()
        #expect(try app.next(seconds: 10.2) == nil)
        try host.start()
        let reply = try #require(try app.next())
        #expect(reply.error == ErrorName.notDetermined.rawValue, "\(reply)")
        #expect(try OperatorClient(host.socketPath).app("trailmap")?.permission == .notDetermined)
    }

    @Test func `full accuracy for a while outlasts an orderly restart`() throws {
        defer { scene.receiver.stop() }
        let host = try scene.host()
        try OperatorClient(host.socketPath).authorize(
            "trailmap", .whileUsing, uid: OtherUser.nobody, accuracy: .reduced)
        let app = try scene.active(host.socketPath)
        try app.call(LocationInterface.Method.requestTemporaryFullAccuracy.rawValue, #"{"purposeKey":"Navigation"}"#)
        try scene.answer(host.socketPath, "allow")
        try app.begin(LocationInterface.Method.monitor.rawValue, more: true)
        #expect(try scene.position(app)?["accuracy"] == "full")
        try host.kill(SIGTERM)
        try app.drain()
        try host.start()
        #expect(try scene.position(app)?["accuracy"] == "full", "\(host.log.suffix(3_000))")
        #expect(try app.next() != nil)
        try app.kill()
        #expect(
            try eventually { try OperatorClient(host.socketPath).app("trailmap")?.accuracy == .reduced },
            "the stored grant still has reduced accuracy")
    }

    /// A connection of this process, which declares its app as in use.
    private func connectActive(_ path: String) throws -> Client {
        let client = try Client(adopting: OtherUser.connect(to: path))
        try client.call(LocationInterface.Method.setActivity.rawValue, ["activity": "active"], timeout: .seconds(60))
        return client
    }

    private func accuracy(of client: Client) throws -> String? {
        try client.call(LocationInterface.Method.getPosition.rawValue, timeout: .seconds(60))["position"]?["accuracy"]?
            .stringValue
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `without a service manager the same process has its grant for once when it connects again`(
        _ signal: Int32
    ) throws {
        defer { scene.receiver.stop() }
        try scene.apps.add("own", name: "Own", program: try TestApps.ownProgram())
        let daemon = try scene.daemon()
        let first = try connectActive(daemon.socketPath)
        try first.call(LocationInterface.Method.requestWhenInUse.rawValue, timeout: .seconds(60))
        try scene.answer(daemon.socketPath, "allowOnce")
        #expect(try accuracy(of: first) == "full")
        for _ in 0..<2 {
            daemon.signal(signal)
            _ = try daemon.wait()
            try daemon.restart()
            #expect(try accuracy(of: connectActive(daemon.socketPath)) == "full")
        }
        #expect(try OperatorClient(daemon).app("own")?.permission == .once)
        // Without a connection the app is out of use, and the grant ends after ten seconds as without a restart.
        #expect(
            try eventually(within: Patience.daemon) {
                try OperatorClient(daemon).app("own")?.permission == .notDetermined
            })
    }

    @Test func `after a crash the same process has its temporary full accuracy and its session when it connects again`()
        throws
    {
        defer { scene.receiver.stop() }
        try scene.apps.add(
            "own", name: "Own", program: try TestApps.ownProgram(), "[TemporaryUsage]\nNavigation=Says when to turn.")
        let host = try scene.host()
        try OperatorClient(host.socketPath).authorize("own", .whileUsing, uid: OtherUser.nobody, accuracy: .reduced)
        func hold() throws -> Client {
            let client = try Client(adopting: OtherUser.connect(to: host.socketPath))
            let stream = try client.stream(LocationInterface.Method.holdInUse.rawValue)
            #expect(try stream.next(timeout: .seconds(60))?.error == nil)
            return client
        }
        let first = try connectActive(host.socketPath)
        var holders = [try hold()]
        try first.call(
            LocationInterface.Method.requestTemporaryFullAccuracy.rawValue, ["purposeKey": "Navigation"],
            timeout: .seconds(60))
        try scene.answer(host.socketPath, "allow")
        #expect(try accuracy(of: first) == "full")
        for signal in [SIGKILL, SIGABRT] {
            try host.restart(signal)
            // The app is not in use, but may begin the session again.
            holders.append(try hold())
            #expect(try OperatorClient(host.socketPath).app("own")?.holds == 1, "\(host.log.suffix(3_000))")
            let client = try Client(adopting: OtherUser.connect(to: host.socketPath))
            #expect(try accuracy(of: client) == "full", "\(host.log.suffix(3_000))")
        }
        for holder in holders { holder.close() }
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `a screen that was reported locked stays locked`(_ signal: Int32) throws {
        defer { scene.receiver.stop() }
        let host = try scene.host()
        try OperatorClient(host.socketPath).authorize("trailmap", .whileUsing, uid: OtherUser.nobody)
        let app = try scene.active(host.socketPath)
        func lock(_ isLocked: Bool) throws {
            try OperatorClient(host.socketPath).call(.setLocked) {
                ManageInterface.SetLocked(uid: OtherUser.nobody, locked: isLocked).write(to: &$0)
            }
        }
        try lock(true)
        #expect(try app.call(LocationInterface.Method.getPosition.rawValue).error == ErrorName.notInUse.rawValue)
        for _ in 0..<2 {
            try host.restart(signal)
            let fresh = try scene.active(host.socketPath)
            #expect(try fresh.call(LocationInterface.Method.getPosition.rawValue).error == ErrorName.notInUse.rawValue)
        }
        try lock(false)
        try host.restart(signal)
        let fresh = try scene.active(host.socketPath)
        #expect(try fresh.call(LocationInterface.Method.getPosition.rawValue).error == nil)
    }
}
