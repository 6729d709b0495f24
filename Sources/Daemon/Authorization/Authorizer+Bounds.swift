import Authorization
import Journal
import Platform

// What apps cannot do without end: cause events, and have people asked.

extension Authorizer {
    /// How often a person may be asked for an app at once.
    static let mostPromptsAtOnce = 5
    /// When once more: at most ten times within any hour.
    static let promptInterval = Duration.seconds(720)
    /// How often a person may be asked at once for all apps of an account together, of which a user can name any number.
    static let mostPromptsOfAccount = 20
    /// When once more for an account: at most forty times within any hour.
    static let promptIntervalOfAccount = Duration.seconds(180)

    /// Whether a person was asked so often for an app, or for all apps of its account, that a new question has to wait.
    func isAskedTooOften(_ app: AppID) -> Bool {
        guard policy.openPrompt(of: app) == nil else { return false }
        let now = clock.monotonicNanoseconds
        if prompting.left(for: app, at: now) == 0 { return true }
        guard let account = budgetAccount(app.uid) else { return false }
        return promptingOfAccount.left(for: account, at: now) == 0
    }

    /// Counts that a person was asked, or an operator is to be, for an app.
    func countPrompt(_ app: AppID) {
        let now = clock.monotonicNanoseconds
        _ = prompting.consume(app, at: now)
        if let account = budgetAccount(app.uid) { _ = promptingOfAccount.consume(account, at: now) }
    }

    /// Allows an app's person to be asked again as often as at the start.
    func resetPrompting(of app: AppID) {
        prompting.reset(app)
        if let account = budgetAccount(app.uid) { promptingOfAccount.reset(account) }
    }

    /// Allows everybody to be asked again as often as at the start.
    func resetPrompting() {
        prompting.reset()
        promptingOfAccount.reset()
    }

    /// The account whose budgets a user's apps count to; nil for root, whose apps are as many as root has made.
    private func budgetAccount(_ uid: UInt32) -> UInt32? { uid == 0 ? nil : limitUser(uid) }

    /// Records what an app or a user's programs did, or counts it where they did too much.
    func recordBounded(_ event: Event) {
        if mayRecord(event) { recorder.record(event) }
    }

    /// Whether an event is to be recorded of what an app or a user's programs did; counts it where they did too much.
    func mayRecord(_ event: Event) -> Bool {
        if notes.consume(event, account: event.uid.flatMap(budgetAccount), at: instant) { return true }
        for exhaustion in notes.drainExhaustions() { recorder.record(exhaustion) }
        if noteTimer?.isArmed == false { armNoteTimer() }
        return false
    }

    /// Records how many events of those are missing that may cause events again.
    func reportMissing() {
        for event in notes.reports(at: instant) { recorder.record(event) }
        armNoteTimer()
    }

    /// Records how many events are missing of everybody: for the end.
    func reportAllMissing() {
        for event in notes.allReports() { recorder.record(event) }
        noteTimer?.disarm()
    }

    private func armNoteTimer() {
        if let next = notes.nextReport { noteTimer?.arm(at: next) }
    }
}
