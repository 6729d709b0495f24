import Authorization
import Journal
import Location

/// How many events each app may cause, so that none pushes what others did out of the journal.
///
/// What exceeds it is counted, and so is what follows until there is room for `resuming` events: the first of them
/// then tells how many are missing.
struct NoteAllowance {
    /// Whom an event is about: an app of a user's, or that user.
    struct Subject: Hashable {
        var app: String?
        var uid: UInt32?
    }

    /// How many events at once.
    static let most = 60
    /// When one more is allowed.
    static let interval = Duration.seconds(60)
    /// For how many events there has to be room before any is written again.
    static let resuming: UInt64 = 6

    private struct Omitted {
        var count: Int64
        var from: UTCTime
        var to: UTCTime
    }

    private var allowance: Allowance<Subject>
    private var omitted: [Subject: Omitted] = [:]
    private let capacity: Int

    init(capacity: Int = 4_096) {
        allowance = Allowance(Self.most, every: Self.interval, capacity: capacity)
        self.capacity = capacity
    }

    /// How many subjects are remembered.
    var count: Int { max(allowance.count, omitted.count) }

    /// Whether an event is to be written. What is not is counted.
    mutating func take(_ event: Event, at now: Policy.Moment) -> Bool {
        var subject = Subject(app: event.app, uid: event.uid)
        if omitted[subject] == nil {
            if allowance.take(subject, at: now.monotonicNanoseconds) { return true }
            // Whoever finds no room here is counted together.
            if omitted.count >= capacity { subject = Subject() }
        }
        omitted[subject, default: Omitted(count: 0, from: now.utc, to: now.utc)].count += 1
        omitted[subject]?.to = now.utc
        return false
    }

    /// When `reports` has something, in nanoseconds of CLOCK_MONOTONIC; nil where nothing is missing.
    var nextReport: UInt64? { omitted.keys.map(due).min() }

    /// The events that tell of what is missing, of those who may cause events again.
    mutating func reports(at now: Policy.Moment) -> [Event] {
        reports { $0 <= now.monotonicNanoseconds }.map { subject, event in
            _ = allowance.take(subject, at: now.monotonicNanoseconds)
            return event
        }
    }

    /// The events that tell of all that is missing: for the end.
    mutating func allReports() -> [Event] { reports { _ in true }.map(\.1) }

    private func due(_ subject: Subject) -> UInt64 { allowance.time(of: Self.resuming, for: subject) }

    private mutating func reports(where isDue: (UInt64) -> Bool) -> [(Subject, Event)] {
        let ready = omitted.filter { isDue(due($0.key)) }
        for subject in ready.keys { omitted[subject] = nil }
        return ready.sorted { $0.value.from < $1.value.from }.map { subject, omitted in
            let event = Event.dropped(
                omitted.count, from: omitted.from, to: omitted.to, app: subject.app, uid: subject.uid,
                reason: "more than \(Self.most) an hour")
            return (subject, event)
        }
    }
}
