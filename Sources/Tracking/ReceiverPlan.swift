import Location

/// When the next fix is needed where nothing needs positions all the time: pure. Until shortly before then the receiver may
/// sleep.
///
/// | need               | the next fix is needed                                                                   |
/// | ------------------ | ---------------------------------------------------------------------------------------- |
/// | a fix              | now                                                                                      |
/// | significant change | when one can be due or 300 s after the last fix, if the machine moves; else 900 s after it |
/// | a border           | when it can be reached at 70 m/s, less the uncertainty of the last fix; at most 900 s later |
///
/// The receiver is woken earlier by the time that it has needed for a fix so far. It sleeps again when its fix is accurate
/// to 50 m, or 30 s after the first one. Without a fix it goes on searching, but for significant changes alone it pauses
/// after 120 s.
///
/// Times are nanoseconds of CLOCK_MONOTONIC.
public struct ReceiverPlan: Equatable, Sendable {
    /// What needs a position.
    public enum Need: Equatable, Sendable {
        /// A fix at once.
        case fix
        /// The machine has moved far enough for a significant change, which can be due from this instant on.
        case significantChange(dueAt: UInt64)
        /// Something changes so many metres from the last fix, or so many seconds after it wherever the machine is; nil
        /// if that is not known.
        case border(meters: Double?, seconds: Double = .infinity)
    }

    /// What to do.
    public enum Decision: Equatable, Sendable {
        /// Nothing needs a position.
        case unneeded
        /// The receiver has to be on; decide again with each fix, and at this instant.
        case awake(again: UInt64?)
        /// The receiver may sleep until this instant.
        case asleep(until: UInt64)
    }

    /// The limits.
    public struct Limits: Equatable, Sendable {
        /// Metres per second: nothing is faster.
        public var speed = 70.0
        /// Seconds between two fixes at most.
        public var longest = 900.0
        /// Seconds between two fixes for a significant change, while the machine moves.
        public var moving = 300.0
        /// Seconds of sleep that are worth it.
        public var shortest = 20.0
        /// Metres, the accuracy of a fix after which the receiver may sleep at once.
        public var accuracy = 50.0
        /// Seconds after the first fix for which a better one is waited for.
        public var settling = 30.0
        /// Seconds for which a fix is searched for significant changes alone.
        public var search = 120.0
        /// The least and the most seconds that a receiver is taken to need for its first fix. Mostly it needs a few, but the
        /// next start may always be a cold one, and no number of quick starts shows that it is not.
        public var leads: ClosedRange<Double> = 30...60

        /// The defaults.
        public init() {}
    }

    private enum State: Equatable {
        case unneeded
        /// On since then; whether gpsd had to be connected for it.
        case awake(since: UInt64, isCold: Bool, firstFixAt: UInt64?)
        case asleep(until: UInt64)
    }

    /// The limits in force.
    public let limits: Limits
    /// Seconds before a fix is needed at which the receiver is woken.
    public private(set) var lead: Double
    private var state = State.unneeded
    private var latest: (accuracy: Double, at: UInt64)?

    /// A plan for a receiver that is off.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        lead = limits.leads.lowerBound
    }

    /// Until when the receiver sleeps; nil while it does not.
    public var asleepUntil: UInt64? { if case .asleep(let until) = state { until } else { nil } }

    /// Whether the receiver was woken, and has had no fix since.
    public var isSearching: Bool { if case .awake(_, _, nil) = state { true } else { false } }

    /// When the receiver was woken; nil while it sleeps or is not needed.
    public var awakeSince: UInt64? { if case .awake(let since, _, _) = state { since } else { nil } }

    /// Handles a fix, which may also come while others need the receiver.
    public mutating func receive(_ fix: Fix) {
        latest = (fix.horizontalAccuracy, fix.receivedAt)
        guard case .awake(let since, let isCold, nil) = state, fix.receivedAt >= since else { return }
        state = .awake(since: since, isCold: isCold, firstFixAt: fix.receivedAt)
        guard isCold else { return }
        let took = Double(fix.receivedAt - since) / 1e9
        // Upwards at once, downwards slowly.
        let learned = max(took * 1.25 + 1, lead * 0.9 + took * 0.1)
        lead = min(max(learned, limits.leads.lowerBound), limits.leads.upperBound)
    }

    /// The time since the last fix is not known, as after a suspend of the machine.
    public mutating func forget() {
        latest = nil
        if case .asleep(let until) = state { state = .asleep(until: min(until, 0)) }
    }

    /// Decides for the present needs. `isMoving` is whether the machine moves, or may have begun to; `isConnected` whether
    /// gpsd is connected because of others.
    public mutating func decide(
        _ needs: [Need], isMoving: Bool, isConnected: Bool = false, at now: UInt64
    ) -> Decision {
        guard !needs.isEmpty else {
            state = .unneeded
            return .unneeded
        }
        switch state {
        case .unneeded: state = .awake(since: now, isCold: !isConnected, firstFixAt: nil)
        case .asleep:
            let needed = instant(of: needs, isMoving: isMoving) ?? now
            let until = needed - min(needed, Self.nanoseconds(lead))
            if until > now {
                state = .asleep(until: until)
                return .asleep(until: until)
            }
            state = .awake(since: now, isCold: !isConnected, firstFixAt: nil)
        case .awake: break
        }
        return whileAwake(needs, isMoving: isMoving, at: now)
    }

    private mutating func whileAwake(_ needs: [Need], isMoving: Bool, at now: UInt64) -> Decision {
        guard case .awake(let since, _, let firstFixAt) = state else { return .unneeded }
        guard let firstFixAt, let latest else { return whileSearching(needs, since: since, at: now) }
        let settled = firstFixAt + Self.nanoseconds(limits.settling)
        guard latest.accuracy <= limits.accuracy || now >= settled else { return .awake(again: settled) }
        guard let needed = instant(of: needs, isMoving: isMoving) else { return .awake(again: nil) }
        let until = needed - min(needed, Self.nanoseconds(lead))
        guard until >= now + Self.nanoseconds(limits.shortest) else { return .awake(again: nil) }
        state = .asleep(until: until)
        return .asleep(until: until)
    }

    private mutating func whileSearching(_ needs: [Need], since: UInt64, at now: UInt64) -> Decision {
        guard needs.allSatisfy({ if case .significantChange = $0 { true } else { false } }) else {
            return .awake(again: nil)
        }
        let end = since + Self.nanoseconds(limits.search)
        guard now >= end else { return .awake(again: end) }
        let until = now + Self.nanoseconds(limits.moving - lead)
        // Counted from now, because there was no fix.
        latest = (.infinity, now)
        state = .asleep(until: until)
        return .asleep(until: until)
    }

    /// When the next fix is needed; nil for at once.
    private func instant(of needs: [Need], isMoving: Bool) -> UInt64? {
        guard let latest else { return nil }
        var seconds = limits.longest
        for need in needs {
            switch need {
            case .fix: return nil
            case .significantChange(let dueAt) where dueAt > latest.at && isMoving:
                seconds = min(seconds, Double(dueAt - latest.at) / 1e9)
            case .significantChange: seconds = min(seconds, isMoving ? limits.moving : limits.longest)
            case .border(nil, _): return nil
            case .border(let meters?, let wait):
                // 95 % of the errors along one axis are smaller.
                let uncertainty = latest.accuracy * Self.likely / Confidence.radiusOfDeviation
                guard meters > uncertainty else { return nil }
                seconds = min(seconds, (meters - uncertainty) / limits.speed, wait)
            }
        }
        return latest.at + Self.nanoseconds(seconds)
    }

    /// Φ⁻¹(0.95).
    private static let likely = 1.644_853_6

    private static func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(max(0, seconds) * 1e9) }

    /// Whether two plans are in the same state.
    public static func == (left: ReceiverPlan, right: ReceiverPlan) -> Bool {
        left.limits == right.limits && left.lead == right.lead && left.state == right.state
            && left.latest?.accuracy == right.latest?.accuracy && left.latest?.at == right.latest?.at
    }
}
