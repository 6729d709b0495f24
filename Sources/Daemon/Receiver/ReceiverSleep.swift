import Location
import Platform
import Tracking

/// Those that need positions now and then only.
@DaemonActor
protocol OccasionalDemand: AnyObject {
    /// Their needs.
    var occasionalNeeds: [ReceiverPlan.Need] { get }
    /// Whether the machine moves, or may have begun to.
    var isMoving: Bool { get }
}

/// Lets the receiver sleep where only regions and significant changes need positions, by `ReceiverPlan`.
///
/// What needs positions all the time requests them of the pipeline itself. This needs them for the others while the receiver
/// is awake for them.
@DaemonActor
final class ReceiverSleep {
    /// What it has done to the pipeline's need.
    enum Change {
        case need
        /// The receiver sleeps: gpsd is disconnected at once if nothing else needs it.
        case sleep
        case release
        /// Enough time for a fix has passed since the receiver was woken.
        case wakingEnded
    }

    /// Whether the receiver may sleep.
    var power: ReceiverPower {
        didSet { if power != oldValue { review() } }
    }
    /// Those that do not need positions all the time.
    weak var demand: (any OccasionalDemand)?
    /// How often the receiver was put to sleep since the start.
    private(set) var count = 0
    /// Whether the pipeline is needed for those.
    private(set) var isHolding = false

    private let clock: any TimeSource
    private let isConnected: @DaemonActor () -> Bool
    private let onChange: @DaemonActor (Change) -> Void
    private var plan = ReceiverPlan()
    private var timer: TimerSource?
    private var wasWaking = false

    /// How long after it was woken the receiver counts as merely waking.
    private static let waking: UInt64 = 60_000_000_000

    /// A receiver that nothing needs yet. `isConnected` says whether gpsd is connected, `onChange` changes that.
    init(
        power: ReceiverPower, clock: any TimeSource, isConnected: @escaping @DaemonActor () -> Bool,
        onChange: @escaping @DaemonActor (Change) -> Void
    ) throws(SystemError) {
        self.power = power
        self.clock = clock
        self.isConnected = isConnected
        self.onChange = onChange
        timer = try TimerSource(accuracy: .milliseconds(500)) { [weak self] in self?.review() }
    }

    /// Until when the receiver may sleep, in nanoseconds of CLOCK_MONOTONIC; nil while it may not.
    var asleepUntil: UInt64? { plan.asleepUntil }

    /// Whether the lack of a fix is no news for those that need positions now and then: the receiver sleeps, or was woken
    /// shortly before.
    var isResting: Bool {
        if plan.asleepUntil != nil { return true }
        guard count > 0, plan.isSearching, let since = plan.awakeSince else { return false }
        let now = clock.monotonicNanoseconds
        return now - min(now, since) < Self.waking
    }

    /// Handles a fix, after all that need one have received it.
    func receive(_ fix: Fix) {
        plan.receive(fix)
        if isHolding || plan.asleepUntil != nil { review() }
    }

    /// The machine was suspended: it may be elsewhere.
    func machineResumed() {
        plan.forget()
        review()
    }

    /// The needs or the time have changed.
    func review() {
        if isHolding, wasWaking, plan.isSearching, !isResting {
            wasWaking = false
            onChange(.wakingEnded)
        }
        defer { wasWaking = isHolding && isResting }
        var needs = demand?.occasionalNeeds ?? []
        if power == .continuous, !needs.isEmpty { needs = [.fix] }
        let now = clock.monotonicNanoseconds
        let isOpen = isConnected()
        switch plan.decide(needs, isMoving: demand?.isMoving ?? true, isConnected: isOpen, at: now) {
        case .unneeded:
            timer?.disarm()
            hold(false, .release)
        case .awake(let again):
            let wakingEnd = isResting ? plan.awakeSince.map { $0 + Self.waking } : nil
            if let instant = [again, wakingEnd].compactMap(\.self).min() {
                timer?.arm(at: instant)
            } else {
                timer?.disarm()
            }
            hold(true, .need)
        case .asleep(let until):
            timer?.arm(at: until)
            if isHolding { count += 1 }
            hold(false, .sleep)
        }
    }

    /// Ends the timer.
    func stop() { timer = nil }

    private func hold(_ holds: Bool, _ change: Change) {
        guard holds != isHolding else { return }
        isHolding = holds
        onChange(change)
    }
}
