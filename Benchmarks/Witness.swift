/// Who is told of what happens to the network, and when.
protocol Witness: AnyObject {
    var name: String { get }
    /// Ends it: the moments at which it was told of anything, in nanoseconds of CLOCK_MONOTONIC, in order; apart for
    /// losses and gains where it tells which is which.
    func end() throws -> Testimony
}

/// The moments at which somebody was told.
struct Testimony {
    var losses: [UInt64]
    var gains: [UInt64]
}
