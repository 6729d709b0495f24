import CLinux
import Glibc

/// Tells when somebody sets the system's wall clock, and when the machine wakes up from a suspend, without waking up
/// before that: a timer that the kernel cancels then, timerfd_create(2) with TFD_TIMER_CANCEL_ON_SET.
@DaemonActor
public final class ClockChangeSource {
    /// What has happened to the clocks.
    public struct Change: Equatable, Sendable {
        /// How far the wall clock was set: forwards is positive. That it goes on during a suspend is not counted.
        public var moved: Duration
        /// How long the machine was suspended; zero where it was not.
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

    /// What lies between the clocks, in microseconds.
    private struct Offsets {
        /// From the time since the boot to the wall clock: changes only when that is set or slewed.
        let wall: Int64
        /// From the monotonic clock to the time since the boot: what was slept.
        let slept: Int64

        init(_ clock: any TimeSource) {
            let (monotonic, boot) = (clock.monotonicNanoseconds, clock.bootNanoseconds)
            wall = clock.utcMicroseconds - Int64(boot / 1_000)
            slept = Int64((max(boot, monotonic) - monotonic) / 1_000)
        }
    }

    /// Less than this is no suspend: the clocks are not read at the same instant.
    private static let shortestSuspend: Int64 = 1_000

    /// Calls the handler with what has happened.
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
        // A cancelled timer stays cancelled until it is set again.
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
