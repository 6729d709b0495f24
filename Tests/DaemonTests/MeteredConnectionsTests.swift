import Glibc
import Platform
import Reachability
import TestSupport
import Testing

@testable import Daemon

@Suite struct MeteredDevicesTests {
    private var devices = MeteredDevices()

    @Test(
        arguments: [(0, nil), (1, true), (2, false), (3, true), (4, false), (5, nil), (.max, nil)] as [(UInt32, Bool?)])
    mutating func `each value of NMMetered is decoded`(value: UInt32, isMetered: Bool?) {
        _ = devices.add("/1")
        devices.set(["Interface": .string("eth0"), "Metered": .uint32(value)], of: "/1")
        #expect(devices.interfaces["eth0"] == isMetered)
    }

    @Test mutating func `a modem's addresses are on another interface, and both are metered`() {
        _ = devices.add("/1")
        devices.set(
            ["Interface": .string("cdc-wdm0"), "IpInterface": .string("wwan0"), "Metered": .uint32(3)], of: "/1")
        #expect(devices.interfaces == ["cdc-wdm0": true, "wwan0": true])
        devices.set(["IpInterface": .string("")], of: "/1")
        #expect(devices.interfaces == ["cdc-wdm0": true])
    }

    @Test mutating func `an unreported device and one too many are ignored`() {
        devices.set(["Interface": .string("eth0"), "Metered": .uint32(1)], of: "/1")
        #expect(devices.interfaces == [:])
        var taken = (0..<MeteredDevices.most).map { devices.add("/\($0)") }
        #expect(taken.allSatisfy { $0 })
        taken = ["/more", "/0"].map { devices.add($0) }
        #expect(taken == [false, true])
        devices.remove("/0")
        taken = [devices.add("/more")]
        #expect(taken == [true])
    }

    @Test(arguments: [(0, false), (10, false), (20, true), (70, true), (100, true)] as [(UInt32, Bool)])
    mutating func `a managed device that is not classified is undecided`(state: UInt32, isUndecided: Bool) {
        _ = devices.add("/1")
        devices.set(["Interface": .string("eth0"), "Metered": .uint32(0), "State": .uint32(state)], of: "/1")
        #expect(devices.undecided == (isUndecided ? ["eth0"] : []))
        devices.set(["Metered": .uint32(1)], of: "/1")
        #expect(devices.undecided == [])
    }

    @Test mutating func `values of other types are ignored`() {
        _ = devices.add("/1")
        devices.set(["Interface": .uint32(1), "Metered": .string("yes"), "IpInterface": .other], of: "/1")
        #expect(devices.interfaces == [:])
    }
}

/// A private bus, and on it a NetworkManager of the test's own.
@Suite struct MeteredConnectionsTests {
    private let bus: PrivateBus

    init() throws {
        LoopThread.start()
        bus = try PrivateBus()
    }

    @DaemonActor private final class Reported {
        var changes: [[String: Bool]] = []
        var reports: [CostReport] = []

        /// Appends what is reported to it.
        var received: Changes {
            Changes { [self] change in
                if case .networkCostsChanged(let report) = change { append(report) }
            }
        }

        private func append(_ report: CostReport) {
            reports.append(report)
            if report.metered != changes.last ?? [:] || !changes.isEmpty && report.metered.isEmpty {
                changes.append(report.metered)
            }
        }
    }

    @DaemonActor private func listen(_ reported: Reported, isWanted: Bool = true) -> MeteredConnections {
        MeteredConnections(.at(bus.address), isWanted: isWanted, changes: reported.received)
    }

    @DaemonActor private func isReported(
        _ reported: Reported, _ interfaces: [String: Bool], within seconds: Double = 30
    ) async throws -> Bool {
        try await eventually(within: seconds) { () async throws -> Bool in reported.changes.last == interfaces }
    }

    private static func device(_ name: String, _ metered: UInt32) -> NetworkManagerDesk.Device {
        .init(interface: name, addressInterface: name, metered: metered)
    }

    @Test @DaemonActor func `NetworkManager's devices are known, with every change`() async throws {
        let desk = try NetworkManagerDesk(
            bus,
            [NetworkManagerDesk.path(1): Self.device("eth0", 4), NetworkManagerDesk.path(2): Self.device("wlan0", 0)])
        let reported = Reported()
        let metered = listen(reported)
        #expect(try await isReported(reported, ["eth0": false]))
        desk.meter(2, 1)
        #expect(try await isReported(reported, ["eth0": false, "wlan0": true]))
        desk.add(3, .init(interface: "cdc-wdm0", addressInterface: "wwan0", metered: 3))
        #expect(try await isReported(reported, ["eth0": false, "wlan0": true, "cdc-wdm0": true, "wwan0": true]))
        desk.remove(3)
        desk.meter(1, 3)
        #expect(try await isReported(reported, ["eth0": true, "wlan0": true]))
        #expect(metered.report.metered == ["eth0": true, "wlan0": true] && metered.isPresent)
        metered.stop()
        #expect(reported.changes.last == [:])
    }

    @Test @DaemonActor
    func `a reply is awaited from the query on, and no longer without NetworkManager`()
        async throws
    {
        let reported = Reported()
        let metered = listen(reported)
        #expect(metered.report.awaited != nil)
        #expect(try await eventually { () async throws -> Bool in metered.report == CostReport() })
        let desk = try NetworkManagerDesk(bus, [NetworkManagerDesk.path(1): Self.device("eth0", 1)])
        #expect(try await isReported(reported, ["eth0": true]))
        #expect(try await eventually { () async throws -> Bool in metered.report.awaited == nil })
        desk.leave()
        #expect(try await eventually { () async throws -> Bool in metered.report.awaited != nil })
        #expect(reported.reports.contains { $0.awaited != nil && $0.metered.isEmpty })
        metered.stop()
        #expect(metered.report == CostReport())
    }

    @Test @DaemonActor func `a NetworkManager that starts, stops and starts again is noticed each time`() async throws {
        let reported = Reported()
        let metered = listen(reported)
        for value: UInt32 in [1, 2] {
            let desk = try NetworkManagerDesk(bus, [NetworkManagerDesk.path(1): Self.device("eth0", value)])
            #expect(try await isReported(reported, ["eth0": value == 1]))
            desk.leave()
            #expect(try await isReported(reported, [:]))
            #expect(!metered.isPresent)
        }
        metered.stop()
    }

    @Test @DaemonActor func `a bus that starts later or again is found`() async throws {
        try bus.stop()
        let reported = Reported()
        let metered = listen(reported)
        for value: UInt32 in [1, 2] {
            try bus.start()
            let desk = try NetworkManagerDesk(bus, [NetworkManagerDesk.path(1): Self.device("eth0", value)])
            #expect(try await isReported(reported, ["eth0": value == 1]))
            try bus.stop()
            #expect(try await isReported(reported, [:]))
            desk.leave()
        }
        metered.stop()
    }

    @Test @DaemonActor func `a lost bus is connected again, whether or not its socket is a file`() async throws {
        let bus = try PrivateBus(isAbstract: true)
        var desk = try NetworkManagerDesk(bus, [NetworkManagerDesk.path(1): Self.device("eth0", 1)])
        let reported = Reported()
        let metered = MeteredConnections(.at(bus.address), isWanted: true, changes: reported.received)
        #expect(try await isReported(reported, ["eth0": true]))
        try bus.stop()
        #expect(try await isReported(reported, [:]))
        desk.leave()
        // Longer than the first delay.
        try await elapsed(.milliseconds(2_500))
        try bus.start()
        desk = try NetworkManagerDesk(bus, [NetworkManagerDesk.path(1): Self.device("eth0", 2)])
        // If the test runs slowly, up to a minute lies between two attempts.
        #expect(try await isReported(reported, ["eth0": false], within: 120))
        metered.stop()
    }

    @Test @DaemonActor func `signals from other senders than NetworkManager are ignored`() async throws {
        let desk = try NetworkManagerDesk(bus, [NetworkManagerDesk.path(1): Self.device("eth0", 2)])
        let other = try NetworkManagerDesk(bus, ownsName: false)
        let reported = Reported()
        let metered = listen(reported)
        #expect(try await isReported(reported, ["eth0": false]))
        let asker = try #require(desk.callers.first)
        other.forge(1, 1, to: asker)
        other.meter(1, 1)
        desk.add(2, Self.device("eth1", 2))
        #expect(try await isReported(reported, ["eth0": false, "eth1": false]))
        // The bus preserves the order of one sender's messages, not that of two senders.
        try await elapsed(.milliseconds(200))
        #expect(metered.report.metered == ["eth0": false, "eth1": false])
        metered.stop()
    }

    @Test @DaemonActor func `NetworkManager is queried only while the configuration enables it`() async throws {
        let desk = try NetworkManagerDesk(bus, [NetworkManagerDesk.path(1): Self.device("eth0", 1)])
        let reported = Reported()
        let metered = listen(reported, isWanted: false)
        try await elapsed(.milliseconds(200))
        #expect(desk.calls == 0 && reported.changes.isEmpty)
        metered.apply(isWanted: true)
        #expect(try await isReported(reported, ["eth0": true]))
        metered.apply(isWanted: false)
        #expect(reported.changes.last == [:])
        let calls = desk.calls
        desk.meter(1, 2)
        try await elapsed(.milliseconds(200))
        #expect(reported.changes.last == [:] && desk.calls == calls)
        metered.apply(isWanted: true)
        #expect(try await isReported(reported, ["eth0": false]))
        metered.stop()
    }
}
