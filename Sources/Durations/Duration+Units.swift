// The only conversions of durations into the units of the kernel's clocks, files and messages.

extension Duration {
    /// Whole nanoseconds, rounded down: zero for a negative duration, `UInt64.max` (584 years) for one that does not
    /// fit.
    public var nanoseconds: UInt64 {
        // A nanosecond is 2⁹ · 5⁹ attoseconds: for up to two and a half hours, 64 bits are enough for the division.
        if let short = UInt64(exactly: attoseconds >> 9) { return short / 1_953_125 }
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflows ? .max : product.addingClamped(UInt64(attoseconds) / 1_000_000_000)
    }

    /// Whole microseconds, rounded down: zero for a negative duration, `nanoseconds` / 1000 for one that does not fit.
    public var microseconds: UInt64 { nanoseconds / 1_000 }

    /// Seconds with their fraction; negative for a negative duration.
    public var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
