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
}
