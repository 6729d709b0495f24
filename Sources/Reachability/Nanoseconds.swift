extension Duration {
    /// As nanoseconds; what is negative is none, what is too long the longest.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isBeyond) = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return overflows || isBeyond ? UInt64.max : sum
    }
}

extension UInt64 {
    /// So much later.
    func after(_ duration: Duration) -> UInt64 {
        let (sum, overflows) = addingReportingOverflow(duration.nanoseconds)
        return overflows ? UInt64.max : sum
    }
}
