import Location

/// When the machine's one reduced position changes, and what has to be done for it.
///
/// A fix is wanted only from a tick on, and only while somebody needs reduced positions. The first one is held until the
/// next whole minute of the wall clock: when a fix came to the second tells where a tunnel ends, a whole minute does
/// not. It is saved, and only then shown.
public struct ReducedSchedule: Sendable {
    /// What is to be done.
    public enum Effect: Equatable, Sendable {
        /// Fixes are needed from now on.
        case wantFixes
        /// They are needed no longer.
        case unwantFixes
        /// `timerFired` is to be called at this moment of CLOCK_MONOTONIC, in nanoseconds, and not before.
        case arm(at: UInt64)
        /// It is not to be called.
        case disarm
        /// This is to be made durable, and `saved` to be called when that is done or has failed.
        case save(ReducedAccuracy.State)
        /// This is to be shown to whoever waits for it.
        case show(ReducedFix)
    }

    private enum Phase {
        /// Nobody needs reduced positions.
        case idle
        /// Nothing new is due: the timer runs until it is.
        case waiting
        /// The next fix is taken.
        case looking
        /// It was taken: the timer runs until the minute is over.
        case holding(Fix, at: Instant)
        /// It is being saved.
        case saving(ReducedFix)
    }

    /// Nanoseconds from one moment of showing to the next.
    public static let minute: UInt64 = 60_000_000_000

    /// What every answer repeats; nil before the first.
    public private(set) var current: ReducedFix?
    private var accuracy: ReducedAccuracy
    private var phase = Phase.idle
    private var isNeeded = false

    /// A schedule that goes on from what was saved, or from nothing.
    public init(field: OffsetField, restoring state: ReducedAccuracy.State? = nil, at instant: Instant) {
        accuracy = ReducedAccuracy(field: field, restoring: state, at: instant)
        current = accuracy.current
    }

    /// Goes on with another key; what is shown stays until its tick is over.
    public mutating func use(_ field: OffsetField) {
        accuracy.use(field)
    }

    /// Somebody needs reduced positions, or nobody does any longer. A fix that is held already is shown all the same, for
    /// who asks next.
    public mutating func setNeeded(_ isNeeded: Bool, at instant: Instant) -> [Effect] {
        guard isNeeded != self.isNeeded else { return [] }
        self.isNeeded = isNeeded
        switch phase {
        case .idle: return isNeeded ? proceed(at: instant) : []
        case .waiting:
            phase = .idle
            return [.disarm]
        case .looking:
            phase = .idle
            return [.unwantFixes]
        case .holding, .saving: return []
        }
    }

    /// A fix came.
    public mutating func receive(_ fix: Fix, at instant: Instant) -> [Effect] {
        guard case .looking = phase, isDue(at: instant) else { return [] }
        let (minute, left) = Self.minute(of: instant.utc)
        let (end, isBeyond) = instant.monotonicNanoseconds.addingReportingOverflow(left)
        let showing = isBeyond ? UInt64.max : end
        // By the minute in which it came and no more exactly: nothing that follows depends on the second.
        phase = .holding(fix, at: Instant(monotonicNanoseconds: showing, utc: minute))
        return [.unwantFixes, .arm(at: showing)]
    }

    /// The timer has run out.
    public mutating func timerFired(at instant: Instant) -> [Effect] {
        switch phase {
        case .waiting: return proceed(at: instant)
        case .holding(let fix, at: let held):
            guard held.monotonicNanoseconds <= instant.monotonicNanoseconds else {
                return [.arm(at: held.monotonicNanoseconds)]
            }
            guard let reduced = accuracy.reduce(fix, at: held), let state = accuracy.state else {
                return proceed(at: instant)
            }
            phase = .saving(reduced)
            return [.save(state)]
        case .idle, .looking, .saving: return []
        }
    }

    /// What was to be saved is saved, or cannot be: it is shown.
    public mutating func saved(at instant: Instant) -> [Effect] {
        guard case .saving(let reduced) = phase else { return [] }
        current = reduced
        // Shown last: who gets it may say at once that it needs no more.
        return proceed(at: instant) + [.show(reduced)]
    }

    /// The wall clock was set.
    public mutating func clockWasSet(at instant: Instant) -> [Effect] {
        switch phase {
        case .waiting: return proceed(at: instant)
        case .looking where !isDue(at: instant): return [.unwantFixes] + proceed(at: instant)
        case .idle, .looking, .holding, .saving: return []
        }
    }

    /// Whether who wants nothing older than so many seconds has to wait for the next showing; it gets `current`
    /// otherwise, which is as new as can be had before the next tick, however old that is.
    public func hasToWait(maximumAge: Double, at instant: Instant) -> Bool {
        guard let current else { return true }
        if instant.utc.seconds(since: current.tick.time) <= maximumAge { return false }
        if case .saving = phase { return true }
        return isDue(at: instant)
    }

    private func isDue(at instant: Instant) -> Bool { accuracy.nextTime(at: instant) <= instant.utc }

    /// What comes after something that is over.
    private mutating func proceed(at instant: Instant) -> [Effect] {
        guard isNeeded else {
            phase = .idle
            return []
        }
        let next = accuracy.nextTime(at: instant)
        guard next > instant.utc else {
            phase = .looking
            return [.wantFixes]
        }
        phase = .waiting
        let (delay, isBeyond) = next.microseconds.subtractingReportingOverflow(instant.utc.microseconds)
        // Never more than two ticks, unless a clock is at the end of all time.
        let nanoseconds = min(isBeyond ? Int64.max : delay, 2 * ReducedTick.interval * 1_000_000) * 1_000
        let (end, isPast) = instant.monotonicNanoseconds.addingReportingOverflow(UInt64(nanoseconds))
        return [.arm(at: isPast ? .max : end)]
    }

    /// The start of a time's minute, and nanoseconds to its end.
    private static func minute(of time: UTCTime) -> (start: UTCTime, left: UInt64) {
        let length = Int64(minute / 1_000)
        let rest = time.microseconds % length
        let passed = rest < 0 ? rest + length : rest
        let (start, isBefore) = time.microseconds.subtractingReportingOverflow(passed)
        return (isBefore ? time : UTCTime(microseconds: start), UInt64(length - passed) * 1_000)
    }
}
