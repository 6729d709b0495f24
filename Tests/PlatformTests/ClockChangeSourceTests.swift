import Glibc
import Platform
import TestSupport
import Testing

@Suite struct ClockChangeSourceTests {
    init() { LoopThread.start() }

    @DaemonActor private final class Reported {
        var changes: [ClockChangeSource.Change] = []
    }

    @Test(.enabled(if: Capability.setClock.isHeld, "only root may set the clock"))
    @DaemonActor func `setting the clock is reported, with how far it moved`() async throws {
        // More often than once where somebody else sets the clock of this machine meanwhile.
        let reported = Reported()
        let source = try ClockChangeSource { reported.changes.append($0) }
        try SystemClockNudge.perform()
        let isReported = try await eventually { () async throws -> Bool in !reported.changes.isEmpty }
        #expect(isReported)
        #expect(reported.changes.allSatisfy { abs($0.moved.seconds) < 1 && $0.suspended == .zero })
        withExtendedLifetime(source) {}
    }

    @Test(.enabled(if: Capability.setClock.isHeld, "only root may set the clock"))
    @DaemonActor func `a suspend is distinguished from a clock that was set`() async throws {
        let reported = Reported()
        let clock = ManualClock()
        let source = try ClockChangeSource(clock: clock) { reported.changes.append($0) }
        // The kernel cancels the timer on both; the clocks show which happened.
        clock.sleep(seconds: 3_600)
        clock.setWallClock(utcMicroseconds: clock.utcMicroseconds - 5_000_000)
        try SystemClockNudge.perform()
        let isReported = try await eventually { () async throws -> Bool in !reported.changes.isEmpty }
        #expect(isReported)
        #expect(reported.changes.first == .init(moved: .seconds(-5), suspended: .seconds(3_600)))
        withExtendedLifetime(source) {}
    }

    /// A clock that advances by 20 ms at one of its readings, as if the thread had been interrupted there.
    private final class InterruptedClock: TimeSource, @unchecked Sendable {
        private let clock = ManualClock()
        private var readingsUntilInterruption = Int.max

        func interrupt(atReading number: Int) { readingsUntilInterruption = number }

        private func read<Value>(_ value: () -> Value) -> Value {
            readingsUntilInterruption -= 1
            if readingsUntilInterruption == 0 { clock.advance(microseconds: 20_000) }
            return value()
        }

        var monotonicNanoseconds: UInt64 { read { clock.monotonicNanoseconds } }
        var bootNanoseconds: UInt64 { read { clock.bootNanoseconds } }
        var utcMicroseconds: Int64 { read { clock.utcMicroseconds } }
    }

    @Test(.enabled(if: Capability.setClock.isHeld, "only root may set the clock"), arguments: 1...4)
    @DaemonActor func `a thread that is interrupted between two clocks reports no suspend`(reading: Int) async throws {
        let reported = Reported()
        let clock = InterruptedClock()
        let source = try ClockChangeSource(clock: clock) { reported.changes.append($0) }
        clock.interrupt(atReading: reading)
        try SystemClockNudge.perform()
        let isReported = try await eventually { () async throws -> Bool in !reported.changes.isEmpty }
        #expect(isReported)
        #expect(reported.changes.first == .init())
        withExtendedLifetime(source) {}
    }
}
