import Glibc
import Platform
import TestSupport
import Testing

@Suite struct ClockChangeSourceTests {
    init() { LoopThread.start() }

    @Test(.enabled(if: geteuid() == 0, "only root may set the clock"))
    @DaemonActor func `setting the clock is told, with how far it moved`() async throws {
        var source: ClockChangeSource?
        let moved = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Duration, any Error>) in
            do throws(SystemError) {
                source = try ClockChangeSource { moved in continuation.resume(returning: moved) }
                // Set to what it is: the kernel takes that for a change too, and the machine's time stays right.
                var now = timespec()
                try retrying("clock_gettime") { clock_gettime(CLOCK_REALTIME, &now) }
                try retrying("clock_settime") { clock_settime(CLOCK_REALTIME, &now) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(source != nil)
        #expect(abs(moved.seconds) < 1)
    }
}
