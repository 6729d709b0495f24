import CLinux
import Glibc

/// Reports when the system's wall clock is set, and when the machine resumes from a suspend. It causes no other
/// wake-ups: it uses a timer that the kernel cancels on these events, timerfd_create(2) with TFD_TIMER_CANCEL_ON_SET.
@DaemonActor
public final class ClockChangeSource {
    /// A change of the clocks.
    public struct Change: Equatable, Sendable {
        /// By how much the wall clock was set; positive is forward. Its progress during a suspend does not count.
        public var moved: Duration
        /// How long the machine was suspended; zero if it was not.
        public var suspended: Duration

        /// A change of these sizes.
        public init(moved: Duration = .zero, suspended: Duration = .zero) {
            self.moved = moved
            self.suspended = suspended
        }
    }

    private let descriptor: OwnedDescriptor
    private let clock: any TimeSource
    private let handler: @DaemonActor (Change) -> Void
    private var source: IOSource?
    private var offsets: Offsets

    /// Differences between the clocks, in microseconds.
    private struct Offsets {
        /// CLOCK_REALTIME minus CLOCK_BOOTTIME: changes only when the wall clock is set or slewed.
        let wall: Int64
        /// CLOCK_BOOTTIME minus CLOCK_MONOTONIC: the time during which the machine was suspended.
        let slept: Int64
        /// The time between the first and the last reading of a clock, by which the differences may be wrong.
        let uncertainty: Int64

        private init(reading clock: any TimeSource) {
            let boot = clock.bootNanoseconds
            let (monotonic, utc) = (clock.monotonicNanoseconds, clock.utcMicroseconds)
            uncertainty = Int64((clock.bootNanoseconds - boot) / 1_000)
            wall = utc - Int64(boot / 1_000)
            slept = Int64((max(boot, monotonic) - monotonic) / 1_000)
        }

        /// The differences at present. When the thread is interrupted between two clocks, they are read again, because the
        /// interruption would look like a suspend or like a clock that was set.
        init(_ clock: any TimeSource) {
            var best = Self(reading: clock)
            for _ in 1..<Self.attempts where best.uncertainty >= Self.tolerance {
                let next = Self(reading: clock)
                if next.uncertainty < best.uncertainty { best = next }
            }
            self = best
        }

        private static let attempts = 8
        /// Well below the shortest suspend, of which two readings are compared.
        private static let tolerance: Int64 = 250
    }

    /// A shorter difference is no suspend, because the clocks are not read at the same instant.
    private static let shortestSuspend: Int64 = 1_000

    /// Calls the handler after each change.
    public init(
        clock: any TimeSource = SystemClock(), handler: @escaping @DaemonActor (Change) -> Void
    ) throws(SystemError) {
        self.clock = clock
        self.handler = handler
        descriptor = try OwnedDescriptor("timerfd_create") { waymark_clock_change_timer() }
        offsets = Offsets(clock)
        try retrying("timerfd_settime") { waymark_arm_clock_change_timer(descriptor.number) }
        source = try IOSource(descriptor.number, .readable) { [weak self] _ in self?.clocksChanged() }
    }

    // Before the descriptor is closed, and on the loop's thread.
    isolated deinit {
        source?.cancel()
    }

    private func clocksChanged() {
        var expirations: UInt64 = 0
        _ = read(descriptor.number, &expirations, 8)
        // A cancelled timer remains cancelled until it is armed again.
        _ = waymark_arm_clock_change_timer(descriptor.number)
        let now = Offsets(clock)
        let suspended = now.slept - offsets.slept
        let change = Change(
            moved: .microseconds(now.wall - offsets.wall),
            suspended: suspended < Self.shortestSuspend ? .zero : .microseconds(suspended))
        offsets = now
        handler(change)
    }
}
