/// Where the journal's news go: to the daemon's loop, in the order in which they came about.
struct JournalOutlet: Sendable {
    let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void
    let onStateChange: @Sendable (JournalState) -> Void
    let onCommit: @Sendable ([StoredEvent]) -> Void
    let onLoad: @Sendable (LoadedAuthorization, LoadedRecordings) -> Void
    let onRecordings: @Sendable ([StoredRecording]) -> Void

    func loaded(_ authorization: LoadedAuthorization, _ recordings: LoadedRecordings) {
        deliver { [onLoad] in onLoad(authorization, recordings) }
    }

    func recordingsChanged(_ recordings: [StoredRecording]) {
        deliver { [onRecordings] in onRecordings(recordings) }
    }

    func stateChanged(_ state: JournalState) {
        deliver { [onStateChange] in onStateChange(state) }
    }

    /// Tells followers first, then those who await their own event or change.
    func committed(_ commit: Commit) {
        var rest = commit.stored[...]
        var outcomes = commit.outcomes[...]
        var answers: [@Sendable () -> Void] = []
        for entry in commit.entries {
            let last = rest.prefix(entry.events.count).last?.sequence ?? 0
            rest = rest.dropFirst(entry.events.count)
            if let request = entry.request, let outcome = outcomes.popFirst() {
                answers.append { request.completion(outcome) }
            } else if let completion = entry.completion {
                answers.append { completion(.success(last)) }
            }
        }
        if answers.isEmpty, commit.stored.isEmpty, commit.recordings == nil { return }
        deliver { [onCommit, onRecordings, answers] in
            if !commit.stored.isEmpty { onCommit(commit.stored) }
            if let recordings = commit.recordings { onRecordings(recordings) }
            for answer in answers { answer() }
        }
    }

    func refuse(_ completions: [PendingEvents.Completion], _ error: JournalError) {
        if completions.isEmpty { return }
        deliver { for completion in completions { completion(.failure(error)) } }
    }
}

/// What one transaction made durable.
struct Commit: Sendable {
    /// What was appended, and has its answer now; without the events of what was refused.
    var entries: [PendingEvents.Entry] = []
    /// The events of all of them, in order.
    var stored: [StoredEvent] = []
    /// What came of each entry that was a request, in order.
    var outcomes: [Result<RecordingOutcome, JournalError>] = []
    /// All recordings, where any has changed.
    var recordings: [StoredRecording]?
}
