extension Duration {
    /// Whole nanoseconds, none where it is negative, all that fit where it is longer.
    public var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : product &+ UInt64(attoseconds / 1_000_000_000)
    }

    /// Whole microseconds, none where it is negative.
    public var microseconds: UInt64 { nanoseconds / 1_000 }

    /// Seconds with their fraction.
    public var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
