import CLinux
import Glibc

/// Tells when somebody sets the system's wall clock, without waking up before that: a timer that the kernel cancels
/// when CLOCK_REALTIME is set, timerfd_create(2) with TFD_TIMER_CANCEL_ON_SET.
@DaemonActor
public final class ClockChangeSource {
    private let descriptor: OwnedDescriptor
    private let clock: any TimeSource
    private let handler: @DaemonActor (Duration) -> Void
    private var source: IOSource?
    /// Microseconds from the monotonic to the wall clock; changes only when the wall clock is set or slewed.
    private var offset: Int64

    /// Calls the handler with how far the clock was moved: forwards is positive.
    public init(
        clock: any TimeSource = SystemClock(), handler: @escaping @DaemonActor (Duration) -> Void
    ) throws(SystemError) {
        self.clock = clock
        self.handler = handler
        descriptor = try OwnedDescriptor("timerfd_create") { waymark_clock_change_timer() }
        offset = Self.offset(clock)
        try retrying("timerfd_settime") { waymark_arm_clock_change_timer(descriptor.number) }
        source = try IOSource(descriptor.number, .readable) { [weak self] _ in self?.clockWasSet() }
    }

    // Before the descriptor is closed, and on the loop's thread.
    isolated deinit {
        source?.cancel()
    }

    private func clockWasSet() {
        var expirations: UInt64 = 0
        _ = read(descriptor.number, &expirations, 8)
        // A cancelled timer stays cancelled until it is set again.
        _ = waymark_arm_clock_change_timer(descriptor.number)
        let now = Self.offset(clock)
        let moved = now - offset
        offset = now
        handler(.microseconds(moved))
    }

    private static func offset(_ clock: any TimeSource) -> Int64 {
        clock.utcMicroseconds - Int64(clock.monotonicNanoseconds / 1_000)
    }
}
