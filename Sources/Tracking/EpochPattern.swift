/// Which report of an epoch was the most complete, over a receiver's last eight epochs.
///
/// gpsd reports an epoch as soon as it has a position, and again when it has received more of the same epoch, such as
/// the altitude or the errors. Whether it does so depends on the receiver, and only the reports show it.
struct EpochPattern: Equatable {
    /// The number of the most complete report of each epoch; 1 if no later report added anything, 0 before there were
    /// eight epochs.
    private var fullest = SIMD8<UInt8>()
    private var present = 0

    /// The least number of these eight epochs with a more complete later report, for such reports to be expected.
    static let leastEpochs = 2

    /// An epoch begins with its first report.
    mutating func beginEpoch() {
        present = (present + 1) % SIMD8<UInt8>.scalarCount
        fullest[present] = 1
    }

    /// The report of this number, counted from 1, is more complete than the ones before it.
    mutating func note(fullerReport number: Int) { fullest[present] = UInt8(clamping: number) }

    /// Whether a more complete report is expected after the first.
    var expectsMore: Bool {
        (0..<SIMD8<UInt8>.scalarCount).count { fullest[$0] > 1 } >= Self.leastEpochs
    }

    /// The number of the last report that is expected.
    var expectedReports: Int { Int(fullest.max()) }
}
