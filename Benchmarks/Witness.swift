/// A listener that records the times of its notifications about the network.
protocol Witness: AnyObject {
    var name: String { get }
    /// Ends it: the times of its notifications, in nanoseconds of CLOCK_MONOTONIC, in order; separate for
    /// losses and gains where it distinguishes them.
    func end() throws -> Testimony
}

/// The times of the notifications.
struct Testimony {
    var losses: [UInt64]
    var gains: [UInt64]
}
