import Authorization
import Journal
import Location

/// How many events each app may cause, so that none pushes what others did out of the journal.
///
/// A user can name apps without end, each with an allowance of its own: all apps and programs of one account therefore share
/// a budget as well. The first event that finds the budget used up is reported at once.
///
/// What exceeds either is counted, and so is what follows until there is room for `resuming` events: the first of them
/// then tells how many are missing.
struct NoteAllowance {
    /// Whom an event is about: an app of a user's, or that user.
    struct Subject: Hashable {
        var app: String?
        var uid: UInt32?
        /// Whether it stands for all apps and programs of the account `uid`, whose budget is used up.
        var isAccount = false
    }

    /// How many events at once.
    static let most = 60
    /// When one more is allowed.
    static let interval = Duration.seconds(60)
    /// For how many events there has to be room before any is written again.
    static let resuming: UInt64 = 6
    /// How many events of one account at once.
    static let mostOfAccount = 600
    /// When one more event of an account is allowed.
    static let intervalOfAccount = Duration.seconds(6)
    /// For how many events a used-up budget needs room before any event of the account is written again.
    static let resumingOfAccount: UInt64 = 60

    private struct Omitted {
        var count: Int64
        var from: UTCTime
        var to: UTCTime
    }

    private var allowance: Allowance<Subject>
    private var budget: Allowance<UInt32>
    /// Reports of used-up budgets that are still to be written.
    private var exhaustions: [Event] = []
    private var omitted: [Subject: Omitted] = [:]
    private let capacity: Int

    init(capacity: Int = 4_096) {
        allowance = Allowance(Self.most, every: Self.interval, capacity: capacity)
        budget = Allowance(Self.mostOfAccount, every: Self.intervalOfAccount, capacity: capacity)
        self.capacity = capacity
    }

    /// How many subjects are remembered.
    var count: Int { max(allowance.count, omitted.count) }

    /// Whether an event is to be written. What is not is counted.
    /// - Parameter account: The account to whose budget the event counts; nil for events that have no budget, such as those
    ///   of root's apps.
    mutating func consume(_ event: Event, account: UInt32? = nil, at now: Policy.Instant) -> Bool {
        var subject = Subject(app: event.app, uid: event.uid)
        if omitted[subject] == nil {
            if let account, isUsedUp(account, at: now) {
                subject = Subject(uid: account, isAccount: true)
            } else if allowance.consume(subject, at: now.monotonicNanoseconds) {
                if let account { _ = budget.consume(account, at: now.monotonicNanoseconds) }
                return true
            }
            // Whoever finds no room here is counted together.
            if omitted[subject] == nil, omitted.count >= capacity { subject = Subject() }
        }
        omitted[subject, default: Omitted(count: 0, from: now.utc, to: now.utc)].count += 1
        omitted[subject]?.to = now.utc
        return false
    }

    /// The reports of budgets that were used up since the last call, one for each time.
    mutating func drainExhaustions() -> [Event] {
        defer { exhaustions = [] }
        return exhaustions
    }

    private mutating func isUsedUp(_ account: UInt32, at now: Policy.Instant) -> Bool {
        if omitted[Subject(uid: account, isAccount: true)] != nil { return true }
        guard budget.left(for: account, at: now.monotonicNanoseconds) == 0 else { return false }
        // Where nothing more is counted by account, the report of the first account stands for all.
        if omitted.count < capacity { exhaustions.append(Self.exhaustion(of: account, at: now)) }
        return true
    }

    private static func exhaustion(of account: UInt32, at now: Policy.Instant) -> Event {
        Event.dropped(
            0, from: now.utc, to: now.utc, uid: user(of: account),
            reason: "the programs of this user have used up their \(mostOfAccount) events; what follows is counted")
    }

    /// The user of an account; nil for the one number that stands for all user ids without an account.
    private static func user(of account: UInt32?) -> UInt32? { account == UserAccounts.unaccounted ? nil : account }

    /// When `reports` has something, in nanoseconds of CLOCK_MONOTONIC; nil where nothing is missing.
    var nextReport: UInt64? { omitted.keys.map(due).min() }

    /// The events that tell of what is missing, of those who may cause events again.
    mutating func reports(at now: Policy.Instant) -> [Event] {
        reports { $0 <= now.monotonicNanoseconds }.map { subject, event in
            if subject.isAccount, let account = subject.uid {
                _ = budget.consume(account, at: now.monotonicNanoseconds)
            } else {
                _ = allowance.consume(subject, at: now.monotonicNanoseconds)
            }
            return event
        }
    }

    /// The events that tell of all that is missing: for the end.
    mutating func allReports() -> [Event] { reports { _ in true }.map(\.1) }

    private func due(_ subject: Subject) -> UInt64 {
        guard subject.isAccount, let account = subject.uid else {
            return allowance.time(of: Self.resuming, for: subject)
        }
        return budget.time(of: Self.resumingOfAccount, for: account)
    }

    private mutating func reports(where isDue: (UInt64) -> Bool) -> [(Subject, Event)] {
        let ready = omitted.filter { isDue(due($0.key)) }
        for subject in ready.keys { omitted[subject] = nil }
        return ready.sorted { $0.value.from < $1.value.from }.map { subject, omitted in
            let event = Event.dropped(
                omitted.count, from: omitted.from, to: omitted.to, app: subject.app,
                uid: subject.isAccount ? Self.user(of: subject.uid) : subject.uid,
                reason: subject.isAccount
                    ? "more than \(Self.mostOfAccount) an hour of this user" : "more than \(Self.most) an hour")
            return (subject, event)
        }
    }
}
