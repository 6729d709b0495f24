import Glibc
import Interfaces
import JSONText
import NetworkPaths
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// What `io.waymark.Reachability` reports about the path.
@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "creating a network namespace needs root"))
struct PathReportTests {
    private let scene: NetworkServiceScene

    init() throws { scene = try NetworkServiceScene() }

    @Test func `the path is that of the daemon's network`() throws {
        let daemon = try scene.start()
        let path = try #require(try NetworkReader(daemon.socketPath).path())
        #expect(path.status == .satisfied && path.reason == nil)
        #expect(path.interfaces.map(\.name) == ["up0"] && path.interfaces.first?.kind == .wired)
        #expect(path.gateways == [IPAddress(TestNetwork.routerIPv4())])
        #expect(path.supportsIPv4 && !path.supportsIPv6)
        let status = try scene.status(daemon)
        #expect(status.status == .satisfied && status.interfaces == ["up0"] && status.problem == nil)
        #expect(status.evaluations > 0)
    }

    @Test func `a loss is reported, and the gain after it, each once`() throws {
        let daemon = try scene.start()
        let readers = try (0..<3).map { _ in try NetworkReader(daemon.socketPath) }
        for reader in readers { try reader.watchPath() }
        let first = try readers.map { try $0.nextPath() }
        #expect(first.allSatisfy { $0.status == .satisfied })
        try scene.network.far.ip("link set far0 down")
        let lost = try readers.map { try $0.nextPath() }
        #expect(lost.allSatisfy { $0.status == .requiresConnection && $0.reason == .noCarrier }, "\(lost)")
        try scene.network.restore()
        let gained = try readers.map { try $0.path(.satisfied) }
        for (path, before) in zip(gained, first) {
            #expect(path.generation > before.generation)
            var path = path
            path.generation = before.generation
            #expect(path == before)
        }
        for reader in readers { #expect(try reader.isQuiet(seconds: 0.5)) }
        #expect(try scene.status(daemon).monitors == 3)

        let read = JournalInterface.Read(kinds: [.networkChanged])
        let events = try Client(path: daemon.socketPath).call(read, timeout: .seconds(60)).events
        let reported = events.compactMap { $0.details["status"]?.stringValue }
        #expect(reported.first == "requiresConnection" && reported.last == "satisfied", "\(events)")
    }

    @Test func `a client that stopped reading gets the newest state, and the number of missed updates`() throws {
        let daemon = try scene.start("Settle=0\n")
        let (lagging, other) = (try NetworkReader(daemon.socketPath), try NetworkReader(daemon.socketPath))
        try lagging.watchPath()
        let first = try lagging.nextPath()
        try other.watchPath()
        var newest = try other.nextPath()
        func hasDropped() throws -> Bool { try OperatorClient(daemon).status().clients.dropped > 0 }
        for _ in 0..<500 where try !hasDropped() {
            try scene.network.machine.ip("route del default")
            newest = try other.nextPath()
            #expect(newest.status == .unsatisfied)
            try scene.network.restore()
            newest = try other.nextPath()
        }
        #expect(try hasDropped())
        var reported = [first]
        while reported.last != newest, reported.count < 1_000 { reported.append(try lagging.nextPath()) }
        #expect(reported.last == newest)
        #expect(Int64(reported.count) <= newest.generation - first.generation, "nothing was left out")
        #expect(zip(reported, reported.dropFirst()).allSatisfy { $0.generation < $1.generation })
    }

    @Test func `a reload that makes an interface expensive is reported`() throws {
        let daemon = try scene.start()
        let reader = try NetworkReader(daemon.socketPath)
        try reader.watchPath()
        #expect(try !reader.nextPath().isExpensive)
        try daemon.directory.write("waymark.conf", "[Reachability]\nExpensive=up*\n")
        let manage = try Client(path: daemon.socketPath)
        let reply = try manage.call(ManageInterface.Method.reload.rawValue, timeout: .seconds(60))
        #expect(reply["changed"]?.arrayValue?.contains("Reachability.Expensive") == true)
        #expect(try reader.nextPath().isExpensive)
    }

    @Test(.enabled(if: Capability.setClock.isHeld, "only root may set the clock"))
    func `everything is queried again when a clock is set or the machine wakes up`() throws {
        let daemon = try scene.start()
        let before = try scene.status(daemon)
        try SystemClockNudge.perform()
        #expect(try eventually { try scene.status(daemon).evaluations > before.evaluations })
        let after = try scene.status(daemon)
        #expect(after.generation == before.generation && after.messages == before.messages)
    }
}
