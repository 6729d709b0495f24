import Location
import Regions

/// The regions of one owner as fixes come in: pure. It holds back fixes that need regions which are not in memory, and
/// requests a pass over the stored regions ahead of need.
struct RegionTrack {
    /// An event that was decided, and whether it is from a replay or a simulator.
    struct Decided: Equatable {
        var event: RegionEvent
        var isSimulated: Bool
    }

    /// What is to be done.
    struct Effects {
        /// Events to store, in this order.
        var events: [Decided] = []
        /// A pass over the stored regions to begin; its result is passed to `passed`.
        var pass: Neighbourhood?

        var isEmpty: Bool { events.isEmpty && pass == nil }
    }

    private enum Step {
        case fix(Fix)
        case loss(RegionDoubt, UTCTime)
    }

    private enum Pass {
        case none
        case inProgress
        /// Regions were added or removed since it began: another one follows.
        case outdated
    }

    /// The most fixes that are held. Of more, every second is dropped, so that the route remains.
    static let mostHeld = 256

    /// The most points of all regions in memory.
    var maximumPoints = Neighbourhood.maximumPoints
    private var monitor: RegionMonitor
    private var coverage: Coverage?
    private var pass = Pass.none
    /// The time of the fix for which the last pass began.
    private var passedAt: UTCTime?
    /// Steps that wait for the end of a pass, in their order.
    private var held: [Step] = []
    /// The last fix that was evaluated; nil after a loss.
    private var latest: Fix?
    private var isLatestSimulated = false
    /// The number of dropped fixes.
    private(set) var dropped = 0

    /// The limits of decisions.
    var rules: RegionMonitor.Rules {
        get { monitor.rules }
        set { monitor.rules = newValue }
    }

    /// No region is known yet.
    init(rules: RegionMonitor.Rules = RegionMonitor.Rules()) {
        monitor = RegionMonitor(rules: rules)
    }

    /// Metres from the last evaluated fix to the nearest place where something can change or another pass is due; nil
    /// where that is not known.
    var distanceToChange: Double? {
        guard held.isEmpty, pass == .none, let latest else { return nil }
        return monitor.remainder(at: SurfacePoint(latest.coordinate))
    }

    /// Seconds after the last fix from which something changes wherever the machine is; nil for never.
    var secondsToChange: Double? {
        guard let latest, let deadline = monitor.deadline else { return nil }
        return max(0, deadline.seconds(since: latest.time))
    }

    /// The number of regions in memory.
    var regionCount: Int { monitor.regions.count }

    /// Whether fixes wait for a pass.
    var isHolding: Bool { !held.isEmpty }

    /// Handles a fix at this place. A fix that can change nothing costs one distance and one comparison.
    mutating func receive(_ fix: Fix, at here: SurfacePoint) -> Effects? {
        if held.isEmpty, monitor.receiveQuiet(fix, at: here) {
            latest = fix
            return nil
        }
        hold(.fix(fix))
        return proceed()
    }

    /// There is no position any more: the states become unknown, after all fixes before.
    mutating func lose(_ doubt: RegionDoubt, at time: UTCTime) -> Effects {
        hold(.loss(doubt, time))
        return proceed()
    }

    /// The stored regions have changed: they are looked at again, and the last fix is evaluated with them.
    mutating func regionsChanged() -> Effects {
        switch pass {
        case .inProgress, .outdated:
            pass = .outdated
            return Effects()
        case .none:
            guard let latest else {
                coverage = nil
                return Effects()
            }
            return Effects(pass: begin(at: latest))
        }
    }

    /// A pass has ended. `unstored` are the states of decisions that the pass could not read, because they are not stored yet.
    mutating func passed(_ result: Neighbourhood, unstored: [Int64: RegionState] = [:]) -> Effects {
        var result = result
        // Decided since the pass began, or before it.
        let regions = result.regions().map { region in
            monitor.regions[region.number] ?? unstored[region.number].map { region.decided($0) } ?? region
        }
        let coverage = result.coverage
        monitor.replaceRegions(regions, coverage: coverage)
        self.coverage = coverage
        let isOutdated = pass == .outdated
        pass = .none
        // The new regions are evaluated at once, also where the machine does not move and no fix comes.
        if held.isEmpty, let latest { held = [.fix(latest)] }
        var effects = proceed()
        if isOutdated, effects.pass == nil, let latest { effects.pass = begin(at: latest) }
        return effects
    }

    /// A pass has failed. The next fix begins another one.
    mutating func passFailed() {
        (pass, passedAt, coverage) = (.none, nil, nil)
        monitor.replaceRegions(Array(monitor.regions.values))
    }

    private mutating func hold(_ step: Step) {
        held.append(step)
        guard held.count > Self.mostHeld else { return }
        let before = held.count
        held = held.enumerated().compactMap { index, step in
            if case .fix = step, index % 2 == 1 { nil } else { step }
        }
        dropped += before - held.count
    }

    /// Evaluates the held steps as far as the regions in memory allow. The fix for which a pass was made is evaluated even if
    /// the regions in memory are too many to cover it.
    private mutating func proceed() -> Effects {
        var effects = Effects()
        var count = 0
        for step in held {
            switch step {
            case .fix(let fix):
                guard fix.time == passedAt && pass == .none || coverage?.covers(fix) == true else {
                    held.removeFirst(count)
                    if pass == .none { effects.pass = begin(at: fix) }
                    return effects
                }
                effects.events += monitor.receive(fix).map { Decided(event: $0, isSimulated: fix.isSimulated) }
                (latest, isLatestSimulated) = (fix, fix.isSimulated)
            case .loss(let doubt, let time):
                effects.events += monitor.lose(doubt, at: time).map {
                    Decided(event: $0, isSimulated: isLatestSimulated)
                }
                latest = nil
            }
            count += 1
        }
        held = []
        // Where regions are many, a pass is due at every fix, but one for each is enough.
        if pass == .none, let latest, latest.time != passedAt, coverage?.isPassDue(at: latest) == true {
            effects.pass = begin(at: latest)
        }
        return effects
    }

    private mutating func begin(at fix: Fix) -> Neighbourhood {
        (pass, passedAt) = (.inProgress, fix.time)
        return Neighbourhood(of: fix, for: monitor, maximumPoints: maximumPoints)
    }
}
