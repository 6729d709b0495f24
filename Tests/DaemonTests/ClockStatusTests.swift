import CSystemd
import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Daemon

/// The part of systemd-timedated that reports the clock: sd-bus on a thread of its own.
private final class TimeDesk: Sendable {
    private struct State {
        var isSynchronised: Bool?
        var calls = 0
    }

    private let state: Mutex<State>
    private let desk = BusDesk<Never>()

    /// A service with this reply; nil for an error reply.
    init(_ bus: PrivateBus, _ isSynchronised: Bool?) throws {
        state = Mutex(State(isSynchronised: isSynchronised))
        try desk.join(bus, as: "org.freedesktop.timedate1", handle: handle)
    }

    var calls: Int { state.withLock { $0.calls } }
    func say(_ isSynchronised: Bool?) { state.withLock { $0.isSynchronised = isSynchronised } }

    func leave() { desk.leave() }

    private func handle(_ message: OpaquePointer, _ bus: OpaquePointer) {
        guard sd_bus_message_is_method_call(message, "org.freedesktop.DBus.Properties", "GetAll") > 0 else { return }
        let isSynchronised = state.withLock { state in
            state.calls += 1
            return state.isSynchronised
        }
        var reply: OpaquePointer?
        if let isSynchronised {
            sd_bus_message_new_method_return(message, &reply)
            sd_bus_message_open_container(reply, CChar(UInt8(ascii: "a")), "{sv}")
            var time: UInt64 = 1
            append(reply, "TimeUSec", "t", &time)
            var flag: Int32 = isSynchronised ? 1 : 0
            append(reply, "NTPSynchronized", "b", &flag)
            sd_bus_message_close_container(reply)
        } else {
            var error = sd_bus_error()
            sd_bus_error_set(&error, "org.freedesktop.DBus.Error.AccessDenied", "no")
            sd_bus_message_new_method_error(message, &reply, &error)
            sd_bus_error_free(&error)
        }
        sd_bus_send(bus, reply, nil)
        sd_bus_message_unref(reply)
    }

    private func append<Value: BitwiseCopyable>(
        _ message: OpaquePointer?, _ name: String, _ type: String, _ value: inout Value
    ) {
        sd_bus_message_open_container(message, CChar(UInt8(ascii: "e")), "sv")
        sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), name)
        sd_bus_message_open_container(message, CChar(UInt8(ascii: "v")), type)
        sd_bus_message_append_basic(message, CChar(bitPattern: type.utf8.first ?? 0), &value)
        for _ in 0..<2 { sd_bus_message_close_container(message) }
    }
}

/// A clock that a test sets, with this synchronization status.
private struct KnownClock: TimeSource {
    let clock = ManualClock()
    var synchronisation: Bool?
    var monotonicNanoseconds: UInt64 { clock.monotonicNanoseconds }
    var utcMicroseconds: Int64 { clock.utcMicroseconds }
}

@Suite struct ClockStatusTests {
    private let bus: PrivateBus

    init() throws {
        LoopThread.start()
        bus = try PrivateBus()
    }

    @Test(arguments: [true, false])
    @DaemonActor func `if the kernel knows, no service is queried`(_ isSynchronised: Bool) async throws {
        let desk = try TimeDesk(bus, !isSynchronised)
        let status = ClockStatus(.at(bus.address), clock: KnownClock(synchronisation: isSynchronised))
        for _ in 0..<3 {
            #expect(status.isSynchronised == isSynchronised)
            try await elapsed(.milliseconds(20))
        }
        #expect(desk.calls == 0)
        desk.leave()
    }

    @Test @DaemonActor func `otherwise timedated is queried once a minute`() async throws {
        let desk = try TimeDesk(bus, false)
        let clock = KnownClock(synchronisation: nil)
        let status = ClockStatus(.at(bus.address), clock: clock)
        #expect(status.isSynchronised, "until the first reply")
        #expect(try await eventually { () async throws -> Bool in !status.isSynchronised })
        desk.say(true)
        clock.clock.advance(seconds: 59)
        for _ in 0..<3 {
            #expect(!status.isSynchronised)
            try await elapsed(.milliseconds(20))
        }
        #expect(desk.calls == 1)
        clock.clock.advance(seconds: 2)
        #expect(!status.isSynchronised, "until the next reply")
        #expect(try await eventually { () async throws -> Bool in status.isSynchronised })
        #expect(desk.calls == 2)
        desk.leave()
    }

    @Test @DaemonActor func `without a reply the clock counts as not synchronized`() async throws {
        let clock = KnownClock(synchronisation: nil)
        let alone = ClockStatus(.at(bus.address), clock: clock)
        #expect(try await eventually { () async throws -> Bool in !alone.isSynchronised })
        let desk = try TimeDesk(bus, nil)
        let refused = ClockStatus(.at(bus.address), clock: clock)
        #expect(try await eventually { () async throws -> Bool in !refused.isSynchronised })
        #expect(desk.calls == 1)
        let without = ClockStatus(.at("unix:path=/nonexistent/bus"), clock: clock)
        #expect(try await eventually { () async throws -> Bool in !without.isSynchronised })
        desk.leave()
    }
}
