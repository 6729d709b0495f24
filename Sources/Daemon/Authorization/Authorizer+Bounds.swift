import Authorization
import Journal
import Platform

// What apps cannot do without end: cause events, and have people asked.

extension Authorizer {
    /// How often a person may be asked for an app at once.
    static let mostPromptsAtOnce = 5
    /// When once more: at most ten times within any hour.
    static let promptInterval = Duration.seconds(720)

    /// Whether a person was asked so often for an app that a new question has to wait.
    func isAskedTooOften(_ app: AppID) -> Bool {
        prompting.left(for: app, at: clock.monotonicNanoseconds) == 0 && policy.openPrompt(of: app) == nil
    }

    /// Records what an app or a user's programs did, or counts it where they did too much.
    func recordBounded(_ event: Event) {
        if mayRecord(event) { recorder.record(event) }
    }

    /// Whether an event is to be recorded of what an app or a user's programs did; counts it where they did too much.
    func mayRecord(_ event: Event) -> Bool {
        if notes.take(event, at: moment) { return true }
        if noteTimer?.isArmed == false { armNoteTimer() }
        return false
    }

    /// Records how many events of those are missing that may cause events again.
    func reportMissing() {
        for event in notes.reports(at: moment) { recorder.record(event) }
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
