import Location

/// Decides when the machine's only reduced position changes, and what has to be done for it.
///
/// A fix is needed only from a tick on, and only while a client needs reduced positions. The first fix is held until
/// the next whole minute of the wall clock: the exact second of a fix would reveal where a tunnel ends, a whole minute
/// does not. The position is stored first, and delivered only after that.
public struct ReducedSchedule: Sendable {
    /// An effect that the caller carries out.
    public enum Effect: Equatable, Sendable {
        /// Fixes are needed from now on.
        case wantFixes
        /// Fixes are no longer needed.
        case unwantFixes
        /// Call `timerFired` at this instant of CLOCK_MONOTONIC, in nanoseconds, and not before.
        case arm(at: UInt64)
        /// Do not call `timerFired`.
        case disarm
        /// Store this state durably, and call `saved` when that is done or has failed.
        case save(ReducedAccuracy.State)
        /// Deliver this position to the waiting clients.
        case show(ReducedFix)
    }

    private enum Phase {
        /// No client needs reduced positions.
        case idle
        /// Nothing new is due; the timer runs until it is.
        case waiting
        /// The next fix is accepted.
        case looking
        /// A fix was accepted; the timer runs until the end of the minute.
        case holding(Fix, at: Instant)
        /// The position is being stored.
        case saving(ReducedFix)
    }

    /// Nanoseconds between two possible times of delivery.
    public static let minute: UInt64 = 60_000_000_000

    /// The position that every reply repeats; nil before the first.
    public private(set) var current: ReducedFix?
    private var accuracy: ReducedAccuracy
    private var phase = Phase.idle
    private var isNeeded = false

    /// Continues from a stored state, or starts without one.
    public init(field: OffsetField, restoring state: ReducedAccuracy.State? = nil, at instant: Instant) {
        accuracy = ReducedAccuracy(field: field, restoring: state, at: instant)
        current = accuracy.current
    }

    /// Uses another key; the current position remains until its tick is over.
    public mutating func use(_ field: OffsetField) {
        accuracy.use(field)
    }

    /// Reduced positions are needed by some client, or by none any more. A fix that is already held is delivered
    /// nevertheless, for the next client.
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

    /// Handles a fix.
    public mutating func receive(_ fix: Fix, at instant: Instant) -> [Effect] {
        guard case .looking = phase, isDue(at: instant) else { return [] }
        let (minute, left) = Self.minute(of: instant.utc)
        let (end, isBeyond) = instant.monotonicNanoseconds.addingReportingOverflow(left)
        let showing = isBeyond ? UInt64.max : end
        // The fix is recorded with the minute of its arrival, without the second, so that nothing derived from it
        // depends on the second.
        phase = .holding(fix, at: Instant(monotonicNanoseconds: showing, utc: minute))
        return [.unwantFixes, .arm(at: showing)]
    }

    /// Handles the timer.
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

    /// The state was stored, or could not be stored: the position is delivered.
    public mutating func saved(at instant: Instant) -> [Effect] {
        guard case .saving(let reduced) = phase else { return [] }
        current = reduced
        // Delivered last, because a client may reply at once that it needs no more positions.
        return proceed(at: instant) + [.show(reduced)]
    }

    /// Handles a change of the wall clock.
    public mutating func clockWasSet(at instant: Instant) -> [Effect] {
        switch phase {
        case .waiting: return proceed(at: instant)
        case .looking where !isDue(at: instant): return [.unwantFixes] + proceed(at: instant)
        case .idle, .looking, .holding, .saving: return []
        }
    }

    /// Whether a client that accepts nothing older than this many seconds has to wait for the next delivery. If not it
    /// gets `current`, which is as new as possible before the next tick, however old that is.
    public func hasToWait(maximumAge: Double, at instant: Instant) -> Bool {
        guard let current else { return true }
        if instant.utc.seconds(since: current.tick.time) <= maximumAge { return false }
        if case .saving = phase { return true }
        return isDue(at: instant)
    }

    private func isDue(at instant: Instant) -> Bool { accuracy.nextTime(at: instant) <= instant.utc }

    /// Continues after a phase has ended.
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
        // At most two ticks, even if a clock is at the end of its range.
        let nanoseconds = min(isBeyond ? Int64.max : delay, 2 * ReducedTick.interval * 1_000_000) * 1_000
        let (end, isPast) = instant.monotonicNanoseconds.addingReportingOverflow(UInt64(nanoseconds))
        return [.arm(at: isPast ? .max : end)]
    }

    /// The start of a time's minute, and the nanoseconds until its end.
    private static func minute(of time: UTCTime) -> (start: UTCTime, left: UInt64) {
        let length = Int64(minute / 1_000)
        let rest = time.microseconds % length
        let passed = rest < 0 ? rest + length : rest
        let (start, isBefore) = time.microseconds.subtractingReportingOverflow(passed)
        return (isBefore ? time : UTCTime(microseconds: start), UInt64(length - passed) * 1_000)
    }
}
