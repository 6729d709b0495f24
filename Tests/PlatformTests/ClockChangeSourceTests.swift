import CTest
import Glibc
import Platform
import TestSupport
import Testing

@Suite struct ClockChangeSourceTests {
    init() { LoopThread.start() }

    @DaemonActor private final class Told {
        var moves: [Duration] = []
    }

    @Test(.enabled(if: Capability.setClock.isHeld, "only root may set the clock"))
    @DaemonActor func `setting the clock is told, with how far it moved`() async throws {
        // More often than once where somebody else sets the clock of this machine meanwhile.
        let told = Told()
        let source = try ClockChangeSource { told.moves.append($0) }
        // By the least there is, and not to a time that was read before: the machine's time stays right.
        try retrying("clock_adjtime") { waymark_test_move_clock(1) }
        let isTold = try await eventually { () async throws -> Bool in !told.moves.isEmpty }
        #expect(isTold)
        #expect(told.moves.allSatisfy { abs($0.seconds) < 1 })
        withExtendedLifetime(source) {}
    }
}
