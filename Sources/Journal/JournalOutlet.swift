import Storage

/// A report of the journal, in the order of the events that it is about.
public enum JournalReport: Sendable {
    /// The journal runs, is full, or has failed.
    case stateChanged(JournalState)
    /// What is stored of authorization and of recordings: reported once and before anything else is replied, as soon as the
    /// database is open, or known never to be.
    case loaded(LoadedAuthorization, LoadedRecordings)
    /// The machine's secret: reported before `loaded`, and again when it is made.
    case machineSecret(MachineSecretReport)
    /// These events are durable.
    case committed([StoredEvent])
    /// All recordings, after a transaction that has changed any.
    case recordingsChanged([StoredRecording])
}

/// The owner of a journal, with a loop on which it receives reports and replies.
public protocol JournalOwner: Sendable {
    /// Runs the work on the owner's loop. The journal calls this from any thread; the work must run in the order of the calls.
    func deliver(_ work: @escaping @Sendable () -> Void)
    /// Receives a report, on the owner's loop.
    func receive(_ report: JournalReport)
}

/// Sends reports and replies to the owner's loop.
struct JournalOutlet: Sendable {
    let owner: any JournalOwner

    func deliver(_ work: @escaping @Sendable () -> Void) { owner.deliver(work) }

    func report(_ report: JournalReport) {
        deliver { [owner] in owner.receive(report) }
    }

    /// Reports to followers first, then replies to those who await their own event or change.
    func committed(_ commit: Commit) {
        var rest = commit.stored[...]
        var outcomes = commit.outcomes[...]
        var replies: [@Sendable () -> Void] = []
        for entry in commit.entries {
            let last = rest.prefix(entry.events.count).last?.sequence ?? 0
            rest = rest.dropFirst(entry.events.count)
            if let request = entry.request, let outcome = outcomes.popFirst() {
                replies.append { request.completion(outcome) }
            } else if let completion = entry.completion {
                replies.append { completion(.success(last)) }
            }
        }
        if replies.isEmpty, commit.stored.isEmpty, commit.recordings == nil { return }
        deliver { [owner, replies] in
            if !commit.stored.isEmpty { owner.receive(.committed(commit.stored)) }
            if let recordings = commit.recordings { owner.receive(.recordingsChanged(recordings)) }
            for reply in replies { reply() }
        }
    }

    func refuse(_ completions: [PendingEvents.Completion], _ error: StorageError) {
        if completions.isEmpty { return }
        deliver { for completion in completions { completion(.failure(error)) } }
    }
}

/// The contents of one durable transaction.
struct Commit: Sendable {
    /// The entries that were appended and get their replies now, without the events of those that were refused.
    var entries: [PendingEvents.Entry] = []
    /// The events of all entries, in order.
    var stored: [StoredEvent] = []
    /// The result of each entry that was a request, in order.
    var outcomes: [Result<RecordingOutcome, StorageError>] = []
    /// All recordings, if one has changed.
    var recordings: [StoredRecording]?
}
