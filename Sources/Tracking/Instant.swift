import Location

/// The time at which data reached the daemon, by both clocks.
public struct Instant: Equatable, Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC.
    public var monotonicNanoseconds: UInt64
    /// The system clock, which may be wrong.
    public var utc: UTCTime
    /// Whether the kernel considers the system clock synchronized: STA_UNSYNC is clear, adjtimex(2).
    public var isSynchronised: Bool

    /// Creates an instant.
    public init(monotonicNanoseconds: UInt64, utc: UTCTime, isSynchronised: Bool = false) {
        self.monotonicNanoseconds = monotonicNanoseconds
        self.utc = utc
        self.isSynchronised = isSynchronised
    }
}
