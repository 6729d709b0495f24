import Location

/// What of an app lasts only as long as it is in use, as it is kept for the next process of the daemon: what was allowed
/// once, full accuracy for a while, and background activity sessions.
///
/// It grants nothing. The decision itself is what the journal has stored; this records which processes had it, and that it had not
/// ended.
public struct Continuation: Equatable, Sendable {
    /// By what a process is known again, within one boot.
    public struct Mark: Hashable, Sendable {
        /// Its number.
        public var processID: Int32
        /// When it was started, by the kernel's count: a later process of that number was started later.
        public var startTime: UInt64

        /// A mark of these parts.
        public init(processID: Int32, startTime: UInt64) {
            self.processID = processID
            self.startTime = startTime
        }
    }

    /// When what was stored of the app was decided: it holds for that decision and no other.
    public var decidedAt: UTCTime
    /// Whether what was allowed once had not ended.
    public var isOnce: Bool
    /// Whether there was full accuracy for a while.
    public var hasTemporaryFullAccuracy: Bool
    /// The app's processes.
    public var processes: Set<Mark>
    /// Those that had begun a background activity session.
    public var holders: Set<Mark>
    /// Since when the app has been out of use, in nanoseconds of CLOCK_MONOTONIC; nil while it is in use.
    public var outOfUseSince: UInt64?
    /// Until when sessions of before an earlier restart may be begun again, in nanoseconds of CLOCK_MONOTONIC; nil where
    /// those are open.
    public var heldUntil: UInt64?

    /// A continuation of these parts.
    public init(
        decidedAt: UTCTime, isOnce: Bool = false, hasTemporaryFullAccuracy: Bool = false, processes: Set<Mark>,
        holders: Set<Mark> = [], outOfUseSince: UInt64? = nil, heldUntil: UInt64? = nil
    ) {
        self.decidedAt = decidedAt
        self.isOnce = isOnce
        self.hasTemporaryFullAccuracy = hasTemporaryFullAccuracy
        self.processes = processes
        self.holders = holders
        self.outOfUseSince = outOfUseSince
        self.heldUntil = heldUntil
    }
}

/// What may go on of before a restart, once a process is back that was there then.
struct Returning {
    var continuation: Continuation
    /// Until when the app has to be in use again, in nanoseconds of CLOCK_MONOTONIC: the time while the daemon was away
    /// counts as out of use.
    var until: UInt64
    /// Until when a process may begin its background activity session again although the app is not in use.
    var heldUntil: UInt64
    /// Whether a process is back that was there.
    var isBack = false

    /// When nothing goes on any more that has not by then.
    var end: UInt64 { max(until, heldUntil) }

    func isOver(at now: UInt64) -> Bool { end <= now }
}
