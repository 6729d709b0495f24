/// The positions of a stream that are sent together, at most so long after the first of them was due: pure.
struct DelayedPositions<Element> {
    /// The most that are delayed; with the last of these they are sent.
    static var limit: Int { 256 }

    /// Nanoseconds from the first position until all are sent.
    let delay: UInt64
    private var waiting: [Element] = []
    /// Those that were sent last. They are needed as long as the client has not read them.
    private var sent: [Element] = []
    /// When they have to be sent, in nanoseconds of CLOCK_MONOTONIC; nil if there are none.
    private(set) var deadline: UInt64?

    /// No positions.
    init(delay: UInt64) {
        self.delay = delay
    }

    /// Whether none is delayed.
    var isEmpty: Bool { waiting.isEmpty }

    /// Adds a position that is due now. Returns whether they have to be sent, because there are as many as permitted.
    mutating func append(_ position: Element, at now: UInt64) -> Bool {
        waiting.append(position)
        if deadline == nil {
            let (end, isLate) = now.addingReportingOverflow(delay)
            deadline = isLate ? .max : end
        }
        return waiting.count >= Self.limit
    }

    /// Those that were sent last did not leave: they are sent again, before the others. Returns how many are lost
    /// because there are too many.
    mutating func putBack() -> Int {
        let all = sent + waiting
        waiting = all.suffix(Self.limit)
        sent = []
        return all.count - waiting.count
    }

    /// Removes all, to be sent.
    mutating func remove() -> [Element] {
        defer { (waiting, deadline) = ([], nil) }
        sent = waiting
        return waiting
    }

    /// Drops all, and those that were sent last if they did not leave. Returns how many the client misses.
    mutating func withdraw(offered: Bool) -> Int {
        defer { (waiting, sent, deadline) = ([], [], nil) }
        return waiting.count + (offered ? sent.count : 0)
    }
}
