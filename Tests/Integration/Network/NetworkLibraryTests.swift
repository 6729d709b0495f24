import JSONText
import NetworkPaths
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink
import Waymark

/// The network in the Swift library, with a daemon that replies as the test wants.
@Suite(.waits, .timeLimit(.minutes(15)))
struct NetworkLibraryTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static func json(_ write: (inout JSONWriter) -> Void) throws -> JSON {
        var writer = JSONWriter()
        write(&writer)
        return try JSON.parse(writer.bytes)
    }

    private static func reported(_ path: NetworkPath) throws -> JSON { ["path": try json { path.write(to: &$0) }] }

    private static func reported(_ target: TargetReachability) throws -> JSON {
        ["target": try json { target.write(to: &$0) }]
    }

    private static let lost = NetworkPath(status: .unsatisfied, reason: .noRoute, generation: 1)
    private static let found = NetworkPath(
        status: .satisfied, interfaces: [NetworkInterface(name: "eth0", index: 2, kind: .wired)], supportsIPv4: true,
        generation: 2)

    @Test func `the path is reported, and every change of it`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        let client = WaymarkClient(socketPath: network.socketPath)
        try await network.answer(.getPath, Self.reported(Self.found))
        #expect(try await client.path() == Self.found)
        try await network.answer(.monitorPath, Self.reported(Self.lost))
        var paths = client.paths().makeAsyncIterator()
        #expect(try await paths.next() == Self.lost)
        try await network.answer(.monitorPath, Self.reported(Self.found))
        #expect(try await paths.next() == Self.found)
        await network.stop()
    }

    @Test func `a sequence continues when the daemon is available again, and can begin without a daemon`() async throws
    {
        let network = try await ReportedNetwork.start(in: directory)
        let client = WaymarkClient(socketPath: network.socketPath)
        await network.stop()
        await #expect(throws: WaymarkError.self) { try await client.path() }
        try await network.answer(.monitorPath, Self.reported(Self.lost))
        var paths = client.paths().makeAsyncIterator()
        try await network.start()
        #expect(try await paths.next() == Self.lost)
        for generation in Int64(3)...4 {
            await network.stop()
            var path = Self.found
            path.generation = generation
            try await network.answer(.monitorPath, Self.reported(path))
            try await network.start()
            #expect(try await paths.next() == path)
        }
        await network.stop()
    }

    @Test func `a host is queried, watched and reported on`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        let client = WaymarkClient(socketPath: network.socketPath)
        let target = TargetReachability(host: "a.example", port: 443, status: .unreachable, reason: .nameNotFound)
        let answer = TargetAnswer(target: target, steps: [ReachabilityStep(.name, .bad)])
        try await network.answer(
            .getTarget, try Self.json { writer in writer.object { answer.writeMembers(to: &$0) } })
        #expect(try await client.target(host: "a.example", port: 443) == target)
        #expect(try await client.examine(host: "a.example") == answer)
        try await network.answer(.monitorTarget, Self.reported(target))
        var targets = client.targets(host: "a.example", port: 443).makeAsyncIterator()
        #expect(try await targets.next() == target)
        try await client.report(.captive, host: "a.example", port: 443)
        let calls = await network.calls
        #expect(calls.map(\.method) == ["GetTarget", "GetTarget", "MonitorTarget", "ReportTarget"])
        let asked: JSON = ["host": "a.example", "port": 443]
        #expect(calls.map(\.parameters).prefix(3) == [asked, ["host": "a.example"], asked])
        #expect(calls.last?.parameters == ["host": "a.example", "port": 443, "outcome": "captive"])
        await network.stop()
    }

    @Test func `a permanent error ends a sequence`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        let client = WaymarkClient(socketPath: network.socketPath)
        try await network.answer(.monitorPath, Self.reported(Self.found))
        var paths = client.paths().makeAsyncIterator()
        #expect(try await paths.next() == Self.found)
        await network.fail(.reachabilityUnavailable)
        let ended = await #expect(throws: WaymarkError.self) { try await paths.next() }
        guard case .failed(ErrorName.reachabilityUnavailable.rawValue, _, _)? = ended else {
            Issue.record("ended with \(String(describing: ended))")
            return
        }
        await network.fail(.reachabilityOtherNetwork)
        var targets = client.targets(host: "a.example").makeAsyncIterator()
        let refused = await #expect(throws: WaymarkError.self) { try await targets.next() }
        #expect(refused == .refused(.reachabilityOtherNetwork, message: "The test says no."))
        await network.stop()
    }

    @Test func `a sequence ends with its task, also while the daemon is unavailable`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        let client = WaymarkClient(socketPath: network.socketPath)
        try await network.answer(.monitorPath, Self.reported(Self.found))
        let following = Task {
            var count = 0
            for try await _ in client.paths() { count += 1 }
            return count
        }
        #expect(try await eventually { await network.streamCount == 1 })
        await network.stop()
        following.cancel()
        #expect(try await following.value <= 1)
        try await network.start()
        let watching = Task { for try await _ in client.paths() {} }
        #expect(try await eventually { await network.streamCount == 1 })
        watching.cancel()
        try await watching.value
        #expect(try await eventually { await network.streamCount == 0 }, "its connection goes with it")
        await network.stop()
    }

    @Test func `the example of an uploader sends when there is a path, and reports the result`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        try await network.answer(.reportTarget, [:])
        var target = TargetReachability(host: "tracker.example.org", port: 443, status: .unreachable, reason: .noRoute)
        try await network.answer(.monitorTarget, Self.reported(target))
        let client = WaymarkClient(socketPath: network.socketPath)
        let uploading = Task { try await upload(client) { true } }
        #expect(try await eventually { await network.streamCount == 1 })
        target.status = .reachable
        try await network.answer(.monitorTarget, Self.reported(target))
        #expect(try await eventually { await network.calls.contains { $0.method == "ReportTarget" } })
        #expect(await network.calls.last?.parameters["outcome"] == "answered")
        uploading.cancel()
        // The reply to its report may not have arrived yet.
        do { try await uploading.value } catch is CancellationError {}
        await network.stop()
    }

    @Test func `the example of a display describes the network in words`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        try await network.answer(.monitorPath, Self.reported(Self.lost))
        let client = WaymarkClient(socketPath: network.socketPath)
        let (lines, shown) = AsyncStream.makeStream(of: String.self)
        let showing = Task { try await showNetwork(client) { shown.yield($0) } }
        var line = lines.makeAsyncIterator()
        #expect(await line.next() == "No network: noRoute")
        try await network.answer(.monitorPath, Self.reported(Self.found))
        #expect(await line.next() == "Network: eth0")
        showing.cancel()
        try await showing.value
        await network.stop()
    }
}
