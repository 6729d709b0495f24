import Durations

/// Counts the deadlines that the inspector missed because of a user's processes, and limits their number. The inspector
/// is not queried for the processes of a user who has reached the limit, and what was known about them remains known.
///
/// With the default limit, if the inspector misses the deadline for each process of a user:
///
/// | a new process every (s) | 1 | 10 | 100 | 120 |
/// | --- | --- | --- | --- | --- |
/// | missed deadlines in 600 s, at most | 6 | 6 | 6 | 5 |
///
/// Root has no limit. Root can stop the inspector anyway, and programs of root, such as `waymark-waker`, work for all
/// users: a few services on a file system that does not respond must not make the others unknown.
struct InspectorTimeouts {
    /// The missed deadlines of a user within the window after which the inspector is not queried for further processes.
    static let mostOfUser = 6
    /// The most users that are remembered. The one whose latest timeout is the oldest makes room for another.
    static let mostUsers = 64

    private let most: Int
    private let window: Duration
    /// The latest timeouts of each user, at least one and at most `most`, the oldest first, in nanoseconds of
    /// CLOCK_MONOTONIC.
    private var instants: [UInt32: [UInt64]] = [:]

    /// A limit of `most` timeouts of a user within the window; at least 1.
    init(most: Int = Self.mostOfUser, window: Duration = .seconds(600)) {
        self.most = most
        self.window = window
    }

    /// The number of users that are remembered.
    var userCount: Int { instants.count }

    /// Records that the inspector missed a deadline because of a user's process. Users whose timeouts are all older
    /// than the window are removed.
    mutating func add(_ user: UInt32, at now: UInt64) {
        guard user != 0 else { return }
        instants = instants.filter { latest($0.value).after(window) > now }
        if instants[user] == nil, instants.count >= Self.mostUsers,
            let oldest = instants.min(by: { latest($0.value) < latest($1.value) })
        {
            instants[oldest.key] = nil
        }
        instants[user] = Array((instants[user, default: []] + [now]).suffix(most))
    }

    /// When the inspector may be queried for a process of a user again; nil if it may be now.
    func end(of user: UInt32, at now: UInt64) -> UInt64? {
        guard let all = instants[user], all.count >= most, let end = all.first?.after(window) else { return nil }
        return end > now ? end : nil
    }

    /// When the next of the users who have reached the limit is below it again; nil if there is none.
    func nextEnd(at now: UInt64) -> UInt64? { instants.keys.compactMap { end(of: $0, at: now) }.min() }

    private func latest(_ instants: [UInt64]) -> UInt64 { instants.last ?? 0 }
}
