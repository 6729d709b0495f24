/// Delivers the journal's results to the daemon's loop, in their order.
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

    /// Notifies followers first, then the callers that wait for their own event or change.
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

/// The contents of one durable transaction.
struct Commit: Sendable {
    /// The entries that now get their results; without the events of refused requests.
    var entries: [PendingEvents.Entry] = []
    /// The events of all entries, in order.
    var stored: [StoredEvent] = []
    /// The outcome of each entry with a request, in order.
    var outcomes: [Result<RecordingOutcome, JournalError>] = []
    /// All recordings, if one has changed.
    var recordings: [StoredRecording]?
}
