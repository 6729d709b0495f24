import Platform

/// An object that ends at its deadline, unless another event occurs before.
@DaemonActor
protocol DeadlineHolder: AnyObject {
    /// The deadline in nanoseconds of the monotonic clock; nil if there is none.
    var deadline: UInt64? { get }
    /// The deadline has passed.
    func deadlinePassed(at now: UInt64)
}

/// One timer for the deadlines of all connections. It is armed only while one of them has a deadline.
///
/// It stores which holders have a deadline, and not the deadlines, which are read when the timer expires. So moving a
/// deadline to a later time costs nothing.
@DaemonActor
final class DeadlineTimer {
    private var holders: [ObjectIdentifier: any DeadlineHolder] = [:]
    private var timer: TimerSource?
    private var armedFor: UInt64?
    private let clock: any TimeSource

    init(accuracy: Duration, clock: any TimeSource) throws(SystemError) {
        self.clock = clock
        timer = try TimerSource(accuracy: accuracy) { [weak self] in
            guard let self else { return }
            armedFor = nil
            check()
        }
    }

    /// The number of holders with a deadline.
    var count: Int { holders.count }

    /// Whether it is armed.
    var isArmed: Bool { armedFor != nil }

    /// Reads a holder's deadline again, after a change of anything that it depends on.
    func update(_ holder: any DeadlineHolder) {
        guard let deadline = holder.deadline else { return remove(holder) }
        holders[ObjectIdentifier(holder)] = holder
        arm(for: deadline)
    }

    /// Removes a holder.
    func remove(_ holder: any DeadlineHolder) {
        guard holders.removeValue(forKey: ObjectIdentifier(holder)) != nil, holders.isEmpty else { return }
        disarm()
    }

    /// Notifies the holders whose deadline has passed, and arms the timer for the next one.
    func check() {
        let now = clock.monotonicNanoseconds
        for holder in Array(holders.values) {
            if let deadline = holder.deadline, deadline <= now { holder.deadlinePassed(at: now) }
        }
        disarm()
        if let next = holders.values.compactMap(\.deadline).min() { arm(for: next) }
    }

    /// Stops the timer.
    func cancel() {
        holders = [:]
        timer?.cancel()
        timer = nil
    }

    private func arm(for deadline: UInt64) {
        if let armedFor, armedFor <= deadline { return }
        armedFor = deadline
        timer?.arm(at: deadline)
    }

    private func disarm() {
        armedFor = nil
        timer?.disarm()
    }
}
