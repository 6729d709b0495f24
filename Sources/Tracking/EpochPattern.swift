/// Which report of an epoch was the fullest, over a receiver's last eight epochs.
///
/// gpsd reports an epoch when it has a position and again when it has learned more of the same epoch, such as the altitude or
/// the errors: which of its receivers do so only their reports tell.
struct EpochPattern: Equatable {
    /// The number of the fullest report of each epoch; 1 where nothing fuller followed the first, 0 before there were eight.
    private var fullest = SIMD8<UInt8>()
    private var present = 0

    /// Epochs of the eight in which something fuller followed, from which on it is expected.
    static let leastEpochs = 2

    /// An epoch begins with its first report.
    mutating func beginEpoch() {
        present = (present + 1) % SIMD8<UInt8>.scalarCount
        fullest[present] = 1
    }

    /// The report of this number, counted from 1, said more than the ones before it.
    mutating func note(fullerReport number: Int) { fullest[present] = UInt8(clamping: number) }

    /// Whether a fuller report is to be expected after the first.
    var expectsMore: Bool {
        (0..<SIMD8<UInt8>.scalarCount).count { fullest[$0] > 1 } >= Self.leastEpochs
    }

    /// The number of the report after which nothing more is expected.
    var expectedReports: Int { Int(fullest.max()) }
}
