import Location

/// The machine's one reduced position: which cell it was in at the last tick.
///
/// There is one for all apps, so that apps which compare notes learn nothing more, and between ticks it does not change.
/// Of a fix it takes the coordinate, for the cell, and whether it is simulated; nothing else of a fix has any
/// effect, and neither has an app. `Documentation/reduced-accuracy.md` says what that protects from and what not.
public struct ReducedAccuracy: Sendable {
    /// What outlives a restart. To be saved durably before `latest` is shown to anybody: what was shown and forgotten
    /// would be drawn a second time within the same tick.
    public struct State: Equatable, Sendable {
        /// What every answer repeats.
        public var latest: ReducedFix
        /// Whether it was taken so long after its tick that the next tick brings no new one.
        public var isLate: Bool
        /// The key it was made with, `OffsetField.keyIdentifier`.
        public var keyIdentifier: UInt64

        /// A state of these parts.
        public init(latest: ReducedFix, isLate: Bool, keyIdentifier: UInt64) {
            self.latest = latest
            self.isLate = isLate
            self.keyIdentifier = keyIdentifier
        }

        /// The last tick that has its answer.
        var answered: ReducedTick { isLate ? latest.tick.next : latest.tick }
    }

    /// Nanoseconds after a tick within which a fix still counts as taken at the tick.
    static let grace: Int64 = 60_000_000_000
    /// Nanoseconds of CLOCK_MONOTONIC that lie between two reduced fixes whatever happens to the wall clock.
    static let spacing = UInt64(ReducedTick.interval * 1_000_000_000 - grace)

    /// What to save; nil before the first fix.
    public private(set) var state: State?
    private var field: OffsetField
    /// CLOCK_MONOTONIC when the latest was taken; nil where that was before a restart.
    private var acceptedAt: UInt64?
    private let startedAt: UInt64

    /// Reduced accuracy as it was saved, or as new.
    public init(field: OffsetField, restoring state: State? = nil, at instant: Instant) {
        self.field = field
        self.state = state
        startedAt = instant.monotonicNanoseconds
    }

    /// What every app with reduced accuracy gets, whenever it asks; nil before the first fix.
    public var current: ReducedFix? { state?.latest }

    /// Goes on with another key. What there is stays until its tick is over: the same place in the same tick through
    /// two keys would be two measurements.
    public mutating func use(_ field: OffsetField) {
        self.field = field
    }

    /// When the next reduced fix may be taken, by the wall clock as it is now; at or before `instant` where a fix is
    /// wanted now. To be asked again when the wall clock was set.
    public func nextTime(at instant: Instant) -> UTCTime {
        guard let state else { return instant.utc }
        if ReducedTick(at: instant.utc) < state.latest.tick {
            // The wall clock was set back, or was wrong when the latest was taken: only the other clock can tell.
            return Self.end(ofSpacingFrom: acceptedAt ?? startedAt, at: instant)
        }
        let tick = state.answered.next.time
        return max(tick, acceptedAt.map { Self.end(ofSpacingFrom: $0, at: instant) } ?? tick)
    }

    /// A fix came. The result is a new reduced fix where one is due, nil otherwise.
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
