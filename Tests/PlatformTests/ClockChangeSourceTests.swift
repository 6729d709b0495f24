import Glibc
import Platform
import TestSupport
import Testing

@Suite struct ClockChangeSourceTests {
    init() { LoopThread.start() }

    @DaemonActor private final class Told {
        var moves: [Duration] = []
    }

    @Test(.enabled(if: geteuid() == 0, "only root may set the clock"))
    @DaemonActor func `setting the clock is told, with how far it moved`() async throws {
        // More often than once where somebody else sets the clock of this machine meanwhile.
        let told = Told()
        let source = try ClockChangeSource { told.moves.append($0) }
        // Set to what it is: the kernel takes that for a change too, and the machine's time stays right.
        var now = timespec()
        try retrying("clock_gettime") { clock_gettime(CLOCK_REALTIME, &now) }
        try retrying("clock_settime") { clock_settime(CLOCK_REALTIME, &now) }
        let isTold = try await eventually { () async throws -> Bool in !told.moves.isEmpty }
        #expect(isTold)
        #expect(told.moves.allSatisfy { abs($0.seconds) < 1 })
        withExtendedLifetime(source) {}
    }
}
