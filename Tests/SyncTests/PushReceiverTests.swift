import Platform
import Records
import Storage
import TestSupport
import Testing

@testable import Sync

/// Answers of a hub that are no pushes, or none that this version understands.
@Suite(.timeLimit(.minutes(15))) struct PushReceiverTests {
    private static let device = AccountDevice(named("alice"), named("laptop"))
    private static let strange = #"{"pushes":[{"database":"other"}]}"#

    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        LoopThread.start()
    }

    private static func list(_ text: String) -> PushList { PushList(Array(text.utf8), to: device) }

    @Test func `no list of pushes is another answer than one that is not understood`() {
        let zone = ZoneID(SimulatedMachine.container, owner: named("alice"), named("notes"))
        let target = PushTarget(SimulatedMachine.container, named("alice"), named("laptop"))
        let pushes = [Push(target, zone.database, zone, nil, 7)]
        #expect(PushList(pushes.json, to: Self.device) == .pushes(pushes))
        #expect(Self.list(#"{"pushes":[]}"#) == .empty)
        #expect(Self.list("") == .missing)
        for text in ["x", "{}", "[]", Self.strange] { #expect(Self.list(text) == .strange, "\(text)") }
    }

    @Test @DaemonActor func `an empty answer that no stream was before is no reason to request pushes at once`()
        async throws
    {
        let server = try ScriptedServer { _ in [.answer(200)] }
        defer { server.stop() }
        let client = try HubClient(
            hub: "http://127.0.0.1:\(server.port)", pin: nil, token: "t", clock: SystemClock())
        let receiver = try PushReceiver(SyncCache(folder: folder.file("copy")), clock: SystemClock())
        receiver.begin(client, for: Self.device)
        #expect(try await eventually { () async throws -> Bool in server.requests.count > 0 })
        try await Task.sleep(for: .milliseconds(500))
        // Each pause is drawn, from twice the range of the one before: that ten end so early does not happen.
        #expect(server.requests.count < 10)
        receiver.end()
        client.close()
    }

    @Test @DaemonActor func `after pushes that are not understood everything is fetched, and a pause follows`()
        async throws
    {
        let server = try ScriptedServer { _ in [.answer(200, Self.strange)] }
        defer { server.stop() }
        let hub = try SimulatedHub(folder: folder.file("hub"))
        let machine = try SimulatedMachine("laptop", folder: folder.file("laptop"), hub: hub)
        var past: [(HubRequest, String)] = []
        while try machine.step(.delivered, past: &past) {}
        let cache = machine.cache
        let before = try cache.read { (tables) throws(StorageError) in try tables.nextWork() }
        #expect(before == nil)
        let client = try HubClient(
            hub: "http://127.0.0.1:\(server.port)", pin: nil, token: "t", clock: SystemClock())
        let receiver = try PushReceiver(cache, clock: SystemClock())
        receiver.begin(client, for: Self.device)
        let isStale = try await eventually { () async throws -> Bool in
            try cache.read { (tables) throws(StorageError) in try tables.nextWork() } != nil
        }
        #expect(isStale)
        // The hub answers what is fetched then, which is no reason to request the pushes again at once.
        for _ in 0..<50 {
            receiver.hubAnswers()
            try await Task.sleep(for: .milliseconds(10))
        }
        // As above.
        #expect(server.requests.count < 10)
        receiver.end()
        client.close()
    }
}
