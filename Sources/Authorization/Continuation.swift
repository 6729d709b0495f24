import Location

/// The rights of an app that last only as long as it is in use, stored for the next process of the daemon: an
/// authorization for once, temporary full accuracy, and background activity sessions.
///
/// It grants nothing by itself. The decision is stored in the journal; this records which processes had these rights,
/// and that they had not ended.
public struct Continuation: Equatable, Sendable {
    /// Identifies a process within one boot, so that the next process of the daemon recognizes it.
    public struct Mark: Hashable, Sendable {
        /// The number of the process.
        public var processID: Int32
        /// The kernel's start time of the process, which distinguishes it from a later process with that number.
        public var startTime: UInt64

        /// A mark of these parts.
        public init(processID: Int32, startTime: UInt64) {
            self.processID = processID
            self.startTime = startTime
        }
    }

    /// The time of the stored decision of the app. The continuation is valid for that decision only.
    public var decidedAt: UTCTime
    /// Whether an authorization for once had not ended.
    public var isOnce: Bool
    /// Whether temporary full accuracy was in effect.
    public var hasTemporaryFullAccuracy: Bool
    /// The app's processes.
    public var processes: Set<Mark>
    /// The processes that had begun a background activity session.
    public var holders: Set<Mark>
    /// When the app left use, in nanoseconds of CLOCK_MONOTONIC; nil while it is in use.
    public var outOfUseSince: UInt64?
    /// Until when sessions from before an earlier restart may be resumed, in nanoseconds of CLOCK_MONOTONIC; nil if
    /// these are open.
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

/// The rights of an app from before a restart, which continue when one of its earlier processes returns.
struct Returning {
    var continuation: Continuation
    /// Until when the app has to be in use again, in nanoseconds of CLOCK_MONOTONIC. The time without a daemon counts
    /// as out of use.
    var until: UInt64
    /// Until when a process may resume its background activity session although the app is not in use.
    var heldUntil: UInt64
    /// Whether one of the earlier processes has returned.
    var isBack = false

    /// When rights that have not continued by then end.
    var end: UInt64 { max(until, heldUntil) }

    func isOver(at now: UInt64) -> Bool { end <= now }
}
