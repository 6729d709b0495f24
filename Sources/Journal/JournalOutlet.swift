/// Where the journal's news go: to the daemon's loop, in the order in which they came about.
struct JournalOutlet: Sendable {
    let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void
    let onStateChange: @Sendable (JournalState) -> Void
    let onCommit: @Sendable ([StoredEvent]) -> Void

    func stateChanged(_ state: JournalState) {
        deliver { [onStateChange] in onStateChange(state) }
    }

    /// Tells followers first, then those who await their own event.
    func committed(_ entries: [PendingEvents.Entry], _ stored: [StoredEvent]) {
        if stored.isEmpty { return }
        let answers = zip(entries, stored).compactMap { entry, stored in
            entry.completion.map { (completion: $0, sequence: stored.sequence) }
        }
        deliver { [onCommit] in
            onCommit(stored)
            for answer in answers { answer.completion(.success(answer.sequence)) }
        }
    }

    func refuse(_ completions: [PendingEvents.Completion], _ error: JournalError) {
        if completions.isEmpty { return }
        deliver { for completion in completions { completion(.failure(error)) } }
    }
}
