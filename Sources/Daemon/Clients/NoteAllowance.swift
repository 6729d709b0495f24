import Accounts
import Authorization
import Journal
import Location

/// Limits the events that each app may cause, so that no app fills the journal and displaces the events of others.
///
/// A user can create any number of apps, each with an allowance of its own, so all programs of one account share a
/// budget as well. The first event that exceeds the budget is reported at once.
///
/// Events beyond either limit are only counted, and so are the following ones until there is room for `resuming`
/// events. The first event after that is a report of the number of omitted events.
struct NoteAllowance {
    /// The subject of an event: an app of a user, or the user.
    struct Subject: Hashable {
        var app: String?
        var uid: UInt32?
        /// Whether this represents all programs of the account `uid`, whose budget is exhausted.
        var isAccount = false
    }

    /// The maximum number of events at once.
    static let most = 60
    /// The interval for one more event.
    static let interval = Duration.seconds(60)
    /// The number of events that must have room before any is written again.
    static let resuming: UInt64 = 6
    /// The maximum number of events of one account at once.
    static let mostOfAccount = 600
    /// The interval for one more event of an account.
    static let intervalOfAccount = Duration.seconds(6)
    /// The number of events that must have room in an exhausted budget before any of the account is written again.
    static let resumingOfAccount: UInt64 = 60

    private struct Omitted {
        var count: Int64
        var from: UTCTime
        var to: UTCTime
    }

    private var allowance: Allowance<Subject>
    private var budget: Allowance<UInt32>
    /// Reports of exhausted budgets to be written.
    private var exhaustions: [Event] = []
    private var omitted: [Subject: Omitted] = [:]
    private let capacity: Int

    init(capacity: Int = 4_096) {
        allowance = Allowance(Self.most, every: Self.interval, capacity: capacity)
        budget = Allowance(Self.mostOfAccount, every: Self.intervalOfAccount, capacity: capacity)
        self.capacity = capacity
    }

    /// The number of remembered subjects.
    var count: Int { max(allowance.count, omitted.count) }

    /// Whether to write an event. An omitted event is counted.
    /// - Parameter account: The account whose budget the event counts against; nil for events without a budget, such as
    ///   those of root's apps.
    mutating func consume(_ event: Event, account: UInt32? = nil, at now: Instant) -> Bool {
        var subject = Subject(app: event.app, uid: event.uid)
        if omitted[subject] == nil {
            if let account, isUsedUp(account, at: now) {
                subject = Subject(uid: account, isAccount: true)
            } else if allowance.consume(subject, at: now.monotonicNanoseconds) {
                if let account { _ = budget.consume(account, at: now.monotonicNanoseconds) }
                return true
            }
            // Subjects for which there is no room are counted together.
            if omitted[subject] == nil, omitted.count >= capacity { subject = Subject() }
        }
        omitted[subject, default: Omitted(count: 0, from: now.utc, to: now.utc)].count += 1
        omitted[subject]?.to = now.utc
        return false
    }

    /// The reports of budgets exhausted since the last call, one for each exhaustion.
    mutating func drainExhaustions() -> [Event] {
        defer { exhaustions = [] }
        return exhaustions
    }

    private mutating func isUsedUp(_ account: UInt32, at now: Instant) -> Bool {
        if omitted[Subject(uid: account, isAccount: true)] != nil { return true }
        guard budget.left(for: account, at: now.monotonicNanoseconds) == 0 else { return false }
        // If no further account can be counted separately, the report of the first account represents all of them.
        if omitted.count < capacity { exhaustions.append(Self.exhaustion(of: account, at: now)) }
        return true
    }

    private static func exhaustion(of account: UInt32, at now: Instant) -> Event {
        Event.dropped(
            0, from: now.utc, to: now.utc, uid: user(of: account),
            reason: "the programs of this user have used up their \(mostOfAccount) events; more are only counted")
    }

    /// The user of an account; nil for the id that represents all user ids without an account.
    private static func user(of account: UInt32?) -> UInt32? { account == UserAccounts.unaccounted ? nil : account }

    /// When `reports` returns something, in nanoseconds of CLOCK_MONOTONIC; nil if no event was omitted.
    var nextReport: UInt64? { omitted.keys.map(due).min() }

    /// The events that report omissions, for subjects that may cause events again.
    mutating func reports(at now: Instant) -> [Event] {
        reports { $0 <= now.monotonicNanoseconds }.map { subject, event in
            if subject.isAccount, let account = subject.uid {
                _ = budget.consume(account, at: now.monotonicNanoseconds)
            } else {
                _ = allowance.consume(subject, at: now.monotonicNanoseconds)
            }
            return event
        }
    }

    /// The events that report all omissions, for the end of the daemon.
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
