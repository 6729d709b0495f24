import Accounts
import Durations
import Platform

/// Limits how often each account's programs may have the daemon write to the disk: a call beyond the limit is not refused,
/// but begins later. Without it, one program could wear out a flash memory, and delay the writes of all others.
///
/// An account has 1,000 such calls at once and 100 more each second, which no honest program notices: an upload
/// acknowledges at most ten times a second. Root has no limit.
@DaemonActor
final class DurablePace {
    /// The most calls of an account at once.
    static let most = 1_000
    /// The interval for one more call.
    static let interval = Duration.milliseconds(10)

    /// The most calls without a reply that wait for an account; further ones are dropped. Of the others a connection has one
    /// at a time, so that the number of connections limits them.
    static let mostWithoutReply = 1_000
    /// The most that these calls may cost together, as `Call.waitingCost` counts: about their KiB, so that many large calls
    /// do not fill the memory. Further ones are dropped.
    static let mostCostWithoutReply = 1_024

    /// A call that has to wait.
    private struct Waiting {
        /// What it costs; zero for a call with a reply.
        let cost: Int
        let begin: @DaemonActor () -> Void
    }

    /// The calls of an account that have to wait, in their order.
    private struct Line {
        var calls: [Waiting] = []
        var cost = 0
    }

    private let accounts: UserAccounts
    private let clock: any TimeSource
    private var allowance = Allowance<UInt32>(DurablePace.most, every: DurablePace.interval)
    private var waiting: [UInt32: Line] = [:]
    private var timer: TimerSource?

    init(accounts: UserAccounts, clock: any TimeSource) throws(SystemError) {
        self.accounts = accounts
        self.clock = clock
        timer = try TimerSource(accuracy: .milliseconds(1)) { [weak self] in self?.goOn() }
    }

    /// How many calls wait.
    var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.calls.count } }

    /// Begins a call of a user now, or as soon as the limit allows it. The cost is determined only for a call that has to wait.
    func begin(
        for uid: UInt32, hasReply: Bool = true, cost: @autoclosure () -> Int = 1,
        _ call: @escaping @DaemonActor () -> Void
    ) {
        guard let account = accounts.budgetAccount(uid) else { return call() }
        let (others, othersCost) = (waiting[account]?.calls.count ?? 0, waiting[account]?.cost ?? 0)
        if others == 0, allowance.consume(account, at: clock.monotonicNanoseconds) { return call() }
        let added = hasReply ? 0 : cost()
        guard hasReply || others < Self.mostWithoutReply && othersCost + added <= Self.mostCostWithoutReply
        else { return }
        waiting[account, default: Line()].calls.append(Waiting(cost: added, begin: call))
        waiting[account]?.cost += added
        arm()
    }

    private func goOn() {
        let now = clock.monotonicNanoseconds
        for account in Array(waiting.keys) {
            while let call = waiting[account]?.calls.first, allowance.consume(account, at: now) {
                waiting[account]?.calls.removeFirst()
                waiting[account]?.cost -= call.cost
                if waiting[account]?.calls.isEmpty == true { waiting[account] = nil }
                call.begin()
            }
        }
        arm()
    }

    private func arm() {
        guard let next = waiting.keys.map({ allowance.time(of: 1, for: $0) }).min() else { return }
        timer?.arm(at: next)
    }
}
