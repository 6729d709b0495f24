// Instants are nanoseconds of a monotonic clock, CLOCK_MONOTONIC or CLOCK_BOOTTIME of clock_gettime(2), in a UInt64.

extension UInt64 {
    /// The sum, or `UInt64.max` if the sum does not fit.
    public func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }

    /// The instant after this duration: this instant for a negative duration, the last instant for a very long one.
    public func after(_ duration: Duration) -> UInt64 { addingClamped(duration.nanoseconds) }

    /// The duration from this instant to a later one; zero if that one is over.
    public func duration(until later: UInt64) -> Duration {
        .nanoseconds(Int64(clamping: later > self ? later - self : 0))
    }
}

// Timestamps are microseconds of a wall clock since 1970, in an Int64.

extension Int64 {
    /// The timestamp that is this duration earlier: this timestamp for a negative duration; at most 584
    /// years earlier, and the first timestamp if that does not fit.
    public func before(_ duration: Duration) -> Int64 {
        let (difference, overflows) = subtractingReportingOverflow(Int64(clamping: duration.microseconds))
        return overflows ? .min : difference
    }
}
