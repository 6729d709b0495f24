import Platform
import TestSupport
import Testing
import Upload

@testable import UploadService

/// The battery that UPower reports, on a bus of the test's own.
@Suite struct BatteryTests {
    @Test(
        arguments: [
            (0, .unknown), (1, .charging), (2, .unplugged), (3, .unplugged), (4, .full), (5, .unknown),
            (6, .unplugged), (99, .unknown),
        ] as [(UInt32, Battery.State)])
    func `each state of UPower has a meaning`(state: UInt32, meaning: Battery.State) {
        var display = DisplayBattery()
        display.set(Self.properties(56.6, state))
        #expect(display.battery == Battery(level: 57, state: meaning))
    }

    @Test func `a machine without a battery has none, and values that make no sense are none`() {
        #expect(DisplayBattery().battery == nil)
        for (name, value) in [
            ("Type", BusValue.uint32(1)), ("Type", .uint32(5)), ("IsPresent", .bool(false)),
            ("Percentage", .double(101)), ("Percentage", .double(-1)), ("Percentage", .double(.nan)),
        ] {
            var display = DisplayBattery()
            display.set(Self.properties(50, 2))
            display.set([name: value])
            #expect(display.battery == nil, "\(name) \(value)")
        }
        var display = DisplayBattery()
        display.set(Self.properties(50, 2))
        display.set(["Type": .string("2"), "Percentage": .uint32(7), "State": .other])
        #expect(display.battery == Battery(level: 50, state: .unplugged), "values of other types are ignored")
        display.set(["Type": .uint32(3)])
        #expect(display.battery?.level == 50, "an uninterruptible power supply counts")
    }

    private static func properties(_ percentage: Double, _ state: UInt32) -> [String: BusValue] {
        [
            "Type": .uint32(2), "IsPresent": .bool(true), "Percentage": .double(percentage), "State": .uint32(state),
        ]
    }

    @Test func `the battery is read when UPower is there, follows its reports, and is unknown when it leaves`()
        async throws
    {
        LoopThread.start()
        let bus = try PrivateBus()
        let monitor = await BatteryMonitor(.at(bus.address), clock: SystemClock())
        #expect(await monitor.battery == nil)
        let desk = try UPowerDesk(bus, .init(81, state: 2))
        #expect(try await eventually { await monitor.battery == Battery(level: 81, state: .unplugged) })
        desk.change(.init(80.4, state: 1))
        #expect(try await eventually { await monitor.battery == Battery(level: 80, state: .charging) })
        desk.leave()
        #expect(try await eventually { await monitor.battery == nil })
        let again = try UPowerDesk(bus, .init(79, state: 4))
        #expect(try await eventually { await monitor.battery == Battery(level: 79, state: .full) })
        await monitor.close()
        again.leave()
    }

    @Test func `a signal of another program changes nothing`() async throws {
        LoopThread.start()
        let bus = try PrivateBus()
        let desk = try UPowerDesk(bus, .init(50, state: 2))
        let other = try UPowerDesk(bus, .init(1, state: 1), ownsName: false)
        let monitor = await BatteryMonitor(.at(bus.address), clock: SystemClock())
        #expect(try await eventually { await monitor.battery?.level == 50 })
        other.forge(.init(1, state: 1), to: try #require(desk.callers.first))
        // The bus delivers in order of arrival: the forged signal has arrived before this one.
        other.leave()
        desk.change(.init(49, state: 2))
        #expect(try await eventually { await monitor.battery?.level != 50 })
        #expect(await monitor.battery?.level == 49)
        await monitor.close()
        desk.leave()
    }

    @Test func `a lost bus is connected to again at most once a minute, when the battery is requested`() async throws {
        LoopThread.start()
        let bus = try PrivateBus()
        let clock = ManualClock()
        let monitor = await BatteryMonitor(.at(bus.address), clock: clock)
        let desk = try UPowerDesk(bus, .init(50, state: 2))
        #expect(try await eventually { await monitor.battery?.level == 50 })
        try bus.stop()
        #expect(try await eventually { await monitor.battery == nil })
        desk.leave()
        try bus.start()
        let again = try UPowerDesk(bus, .init(40, state: 2))
        #expect(await monitor.battery == nil)
        #expect(again.callers.isEmpty)
        clock.advance(seconds: 61)
        #expect(try await eventually { await monitor.battery?.level == 40 })
        await monitor.close()
        again.leave()
    }

    @Test func `a closed monitor does not connect again`() async throws {
        LoopThread.start()
        let bus = try PrivateBus()
        let clock = ManualClock()
        let desk = try UPowerDesk(bus, .init(50, state: 2))
        let monitor = await BatteryMonitor(.at(bus.address), clock: clock)
        #expect(try await eventually { await monitor.battery?.level == 50 })
        await monitor.close()
        clock.advance(seconds: 61)
        #expect(await monitor.battery == nil)
        #expect(await !monitor.isConnected)
        desk.leave()
    }
}
