/// Where the journal's news go: to the daemon's loop, in the order in which they came about.
struct JournalOutlet: Sendable {
    let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void
    let onStateChange: @Sendable (JournalState) -> Void
    let onCommit: @Sendable ([StoredEvent]) -> Void
    let onLoad: @Sendable (LoadedAuthorization) -> Void

    func loaded(_ authorization: LoadedAuthorization) {
        deliver { [onLoad] in onLoad(authorization) }
    }

    func stateChanged(_ state: JournalState) {
        deliver { [onStateChange] in onStateChange(state) }
    }

    /// Tells followers first, then those who await their own event.
    func committed(_ entries: [PendingEvents.Entry], _ stored: [StoredEvent]) {
        if entries.isEmpty { return }
        var rest = stored[...]
        var answers: [(completion: PendingEvents.Completion, sequence: Int64)] = []
        for entry in entries {
            let last = rest.prefix(entry.events.count).last
            rest = rest.dropFirst(entry.events.count)
            if let completion = entry.completion { answers.append((completion, last?.sequence ?? 0)) }
        }
        deliver { [onCommit, answers] in
            if !stored.isEmpty { onCommit(stored) }
            for answer in answers { answer.completion(.success(answer.sequence)) }
        }
    }

    func refuse(_ completions: [PendingEvents.Completion], _ error: JournalError) {
        if completions.isEmpty { return }
        deliver { for completion in completions { completion(.failure(error)) } }
    }
}
