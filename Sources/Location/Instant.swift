/// The time of an event, by both clocks.
public struct Instant: Equatable, Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC: for timers, deadlines and ages.
    public var monotonicNanoseconds: UInt64
    /// The system clock, which may be wrong: for timestamps.
    public var utc: UTCTime
    /// Whether the kernel considers the system clock synchronized: STA_UNSYNC is clear, adjtimex(2). False also where nobody
    /// has queried that.
    public var isSynchronised: Bool

    /// Creates an instant.
    public init(monotonicNanoseconds: UInt64, utc: UTCTime, isSynchronised: Bool = false) {
        self.monotonicNanoseconds = monotonicNanoseconds
        self.utc = utc
        self.isSynchronised = isSynchronised
    }
}
