import Glibc
import Netlink
import Platform
import Reachability
import TestSupport
import TestTraits
import Testing

@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "requires root and network namespaces"), .serialized)
struct `A netlink monitor on the loop` {
    private let network: TestNetwork

    init() throws {
        LoopThread.start()
        network = try TestNetwork(.ipv4, uplinks: 1)
    }

    /// The events from a monitor.
    @DaemonActor
    private final class Reported {
        var events: [NetworkEvents] = []
        var monitor: NetlinkMonitor?

        var count: Int { events.reduce(0) { $0 + $1.count } }
        var overruns: Int { events.count { $0.overrun } }
        var changed: Set<Int32> { events.reduce(into: []) { $0.formUnion($1.changedLinks) } }
    }

    @DaemonActor private func listen(receiveBufferBytes: Int32 = 1 << 20) throws -> Reported {
        let announced = Reported()
        let socket = try network.machine.inside {
            try EventSocket(NetlinkSocket(), receiveBufferBytes: receiveBufferBytes)
        }
        announced.monitor = NetlinkMonitor(socket: socket) { announced.events.append($0) }
        return announced
    }

    @DaemonActor @Test func `reports on the loop that something has changed`() async throws {
        let announced = try listen()
        try network.machine.ip("route del default")
        #expect(try await eventually { () async throws -> Bool in announced.count > 0 })
        announced.monitor = nil
    }

    @DaemonActor @Test func `leaves announcements in the kernel while it is held, and reports them at once afterwards`()
        async throws
    {
        let announced = try listen()
        let monitor = try #require(announced.monitor)
        monitor.isHeld = true
        try network.machine.ip("route del default")
        try await elapsed(.milliseconds(50))
        #expect(announced.events.isEmpty)
        monitor.isHeld = false
        #expect(announced.events.count == 1)
        let before = announced.count
        #expect(before > 0)
        try network.machine.ip("route add default via 10.77.0.1")
        #expect(try await eventually { () async throws -> Bool in announced.count > before })
        announced.monitor = nil
    }

    @DaemonActor @Test func `reports nothing when it is released without an announcement`() async throws {
        let announced = Reported()
        let quiet = try PrivateNetwork()
        let socket = try quiet.inside { try NetlinkSocket() }
        let monitor = try NetlinkMonitor(socket: socket) { announced.events.append($0) }
        announced.monitor = monitor
        monitor.isHeld = true
        monitor.isHeld = false
        #expect(announced.events.isEmpty)
        announced.monitor = nil
    }

    @DaemonActor @Test func `wakes for an overrun even while it is held`() async throws {
        let announced = try listen(receiveBufferBytes: 0)
        let monitor = try #require(announced.monitor)
        monitor.isHeld = true
        try network.addRoutes(2_000)
        #expect(try await eventually { () async throws -> Bool in announced.overruns > 0 })
        #expect(monitor.counters.overruns == 1)
        let before = announced.events.count
        try network.machine.ip("route del default")
        try await elapsed(.milliseconds(50))
        #expect(announced.events.count == before, "the monitor is still held")
        announced.monitor = nil
    }

    @DaemonActor @Test func `reads a storm in several iterations`() async throws {
        let announced = try listen(receiveBufferBytes: 16 << 20)
        let monitor = try #require(announced.monitor)
        monitor.isHeld = true
        try network.addRoutes(5_000)
        monitor.isHeld = false
        #expect(announced.events.map(\.count) == [1_024])
        #expect(try await eventually { () async throws -> Bool in announced.count >= 5_000 })
        #expect(announced.events.count >= 5 && announced.events.allSatisfy { $0.count <= 1_024 })
        announced.monitor = nil
    }

    @DaemonActor @Test func `handles five hundred pairs of interfaces that are added and removed`() async throws {
        let announced = try listen()
        let lines = (0..<500).map { "link add pair\($0) group 77 type veth peer name other\($0)" }
        try await perform(lines)
        let inquiry = KernelInquiry(socket: try network.machine.inside { try NetlinkSocket() })
        #expect(inquiry.links()?.count == 1_002)
        try await perform(["link del group 77"])
        #expect(inquiry.links()?.count == 2)
        #expect(
            try await eventually { () async throws -> Bool in announced.overruns > 0 || announced.changed.count >= 1_000
            })
        // The loop does other work between two of them.
        #expect(announced.events.allSatisfy { $0.count <= 1_024 })
        announced.monitor = nil
    }

    /// Runs ip(8), without blocking the loop.
    @DaemonActor private func perform(_ commands: [String]) async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("batch", commands.joined(separator: "\n") + "\n")
        let process = try network.machine.start(ChildProcess.Launch("/sbin/ip", ["-batch", file]))
        #expect(try await eventually { () async throws -> Bool in try process.exitStatus() != nil })
        #expect(try process.exitStatus()?.isSuccess == true)
    }
}
