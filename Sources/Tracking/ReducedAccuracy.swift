import Location

/// The machine's only reduced position: the cell that it was in at the last tick.
///
/// All apps share it, so apps that combine their data learn nothing more, and it does not change between ticks. Of a
/// fix it uses only the coordinate, for the cell, and whether the fix is simulated. Nothing else of a fix has any
/// effect, and neither has an app. `Documentation/reduced-accuracy.md` describes what this protects and what it does
/// not.
public struct ReducedAccuracy: Sendable {
    /// The persistent state. It has to be stored durably before `latest` is delivered to any client: a position that
    /// was delivered and then lost would be drawn a second time within the same tick.
    public struct State: Equatable, Sendable {
        /// The position that every reply repeats.
        public var latest: ReducedFix
        /// Whether it was measured so long after its tick that the next tick brings no new one.
        public var isLate: Bool
        /// The key that it was made with, `OffsetField.keyIdentifier`.
        public var keyIdentifier: UInt64

        /// Creates a state.
        public init(latest: ReducedFix, isLate: Bool, keyIdentifier: UInt64) {
            self.latest = latest
            self.isLate = isLate
            self.keyIdentifier = keyIdentifier
        }

        /// The last tick that already has its position.
        var answered: ReducedTick { isLate ? latest.tick.next : latest.tick }
    }

    /// Nanoseconds after a tick within which a fix still counts as measured at the tick.
    static let grace: Int64 = 60_000_000_000
    /// The least nanoseconds of CLOCK_MONOTONIC between two reduced fixes, whatever happens to the wall clock.
    static let spacing = UInt64(ReducedTick.interval * 1_000_000_000 - grace)

    /// The state to store; nil before the first fix.
    public private(set) var state: State?
    private var field: OffsetField
    /// CLOCK_MONOTONIC when the latest fix was accepted; nil if that was before a restart.
    private var acceptedAt: UInt64?
    private let startedAt: UInt64

    /// Continues from a stored state, or starts without one.
    public init(field: OffsetField, restoring state: State? = nil, at instant: Instant) {
        self.field = field
        self.state = state
        startedAt = instant.monotonicNanoseconds
    }

    /// The position for every app with reduced accuracy; nil before the first fix.
    public var current: ReducedFix? { state?.latest }

    /// Uses another key from the next tick on. The current position remains until its tick is over: the same place in
    /// the same tick under two keys would be two measurements.
    public mutating func use(_ field: OffsetField) {
        self.field = field
    }

    /// When the next reduced fix may be accepted, by the wall clock; at or before `instant` if a fix is wanted now.
    /// Call it again whenever the wall clock was set.
    public func nextTime(at instant: Instant) -> UTCTime {
        guard let state else { return instant.utc }
        if ReducedTick(at: instant.utc) < state.latest.tick {
            // The wall clock was set back, or was wrong when the latest fix was accepted: only the monotonic clock can
            // be used.
            return Self.end(ofSpacingFrom: acceptedAt ?? startedAt, at: instant)
        }
        let tick = state.answered.next.time
        return max(tick, acceptedAt.map { Self.end(ofSpacingFrom: $0, at: instant) } ?? tick)
    }

    /// Handles a fix. Returns a new reduced fix if one is due, otherwise nil.
    public mutating func reduce(_ fix: Fix, at instant: Instant) -> ReducedFix? {
        guard nextTime(at: instant) <= instant.utc else { return nil }
        let offset = field.offset(at: fix.coordinate)
        let cell = ReducedCell(containing: fix.coordinate, movedNorth: offset.north, movedEast: offset.east)
        let tick = ReducedTick(at: instant.utc)
        let reduced = ReducedFix(cell: cell, tick: tick, isSimulated: fix.isSimulated)
        let isLate = instant.utc.microseconds - tick.time.microseconds >= Self.grace / 1_000
        state = State(latest: reduced, isLate: isLate, keyIdentifier: field.keyIdentifier)
        acceptedAt = instant.monotonicNanoseconds
        return reduced
    }

    private static func end(ofSpacingFrom start: UInt64, at instant: Instant) -> UTCTime {
        let now = instant.monotonicNanoseconds
        let elapsed = now > start ? now - start : 0
        let remaining = spacing - min(elapsed, spacing)
        let (end, isBeyond) = instant.utc.microseconds.addingReportingOverflow(Int64(remaining / 1_000))
        return UTCTime(microseconds: isBeyond ? .max : end)
    }
}
