import Location

/// The time at which something reached the daemon, by both clocks.
public struct Instant: Equatable, Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC.
    public var monotonicNanoseconds: UInt64
    /// By the system's clock, which may be wrong.
    public var utc: UTCTime
    /// Whether the kernel holds the system's clock for synchronised: STA_UNSYNC is clear, adjtimex(2).
    public var isSynchronised: Bool

    /// A moment of these parts.
    public init(monotonicNanoseconds: UInt64, utc: UTCTime, isSynchronised: Bool = false) {
        self.monotonicNanoseconds = monotonicNanoseconds
        self.utc = utc
        self.isSynchronised = isSynchronised
    }
}
