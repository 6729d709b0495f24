import Authorization
import Location

extension EventJournal {
    /// Begins a recording, or goes on with it, with these options: what was recorded before stays.
    ///
    /// `completion` gets the recording once it is durable, with the events that tell of it, or the reason why nothing
    /// was changed: so do all changes of recordings.
    public func startRecording(
        _ key: RecordingKey, _ options: RecordingOptions = RecordingOptions(), reporter events: [Event] = [],
        completion: @escaping @Sendable (Result<StoredRecording, JournalError>) -> Void
    ) {
        change(.start(key, options), reporter: events) { completion($0.flatMap(\.recording)) }
    }

    /// Ends a recording; what there is of it stays. `noSuchRecording` where there is none.
    public func stopRecording(
        _ key: RecordingKey, reporter events: [Event] = [],
        completion: @escaping @Sendable (Result<StoredRecording, JournalError>) -> Void
    ) {
        change(.stop(key), reporter: events) { completion($0.flatMap(\.recording)) }
    }

    /// Ends a recording and forgets all of it, dead letters too: how many positions and dead letters there were.
    /// `noSuchRecording` where there is none.
    public func eraseRecording(
        _ key: RecordingKey, reporter events: [Event] = [],
        completion: @escaping @Sendable (Result<Int64, JournalError>) -> Void
    ) {
        change(.erase(key), reporter: events) { completion($0.flatMap(\.number)) }
    }

    /// Moves the cursor of a recording, never back and never beyond its last number: up to which number is acknowledged
    /// now. `noSuchRecording` where there is none.
    public func acknowledge(
        _ recording: RecordingID, upTo number: Int64,
        completion: @escaping @Sendable (Result<Int64, JournalError>) -> Void
    ) {
        change(.acknowledge(recording, upTo: number)) { completion($0.flatMap(\.number)) }
    }

    /// Makes a position a dead letter, or says something else of one: of the message a kilobyte is kept.
    /// `noSuchPosition` where there is neither, `noSuchRecording` where there is no such recording.
    public func reject(
        _ recording: RecordingID, _ number: Int64, status: Int, message: String, reporter events: [Event] = [],
        completion: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        change(.reject(recording, number, status: status, message: message), reporter: events) { result in
            completion(result.map { _ in })
        }
    }

    /// Forgets a dead letter, which has been taken after all. `noSuchPosition` where there is none, `noSuchRecording`
    /// where there is no such recording.
    public func revive(
        _ recording: RecordingID, _ number: Int64, reporter events: [Event] = [],
        completion: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        change(.revive(recording, number), reporter: events) { result in completion(result.map { _ in }) }
    }

    /// Records what an app may see, under the recording's next number: durable with the next transaction, at most the
    /// commit interval later. Where more wait than there is room for, the oldest is dropped, counted, and an event tells
    /// of it. Nothing is recorded of a recording that is no more.
    public func record(_ disclosure: Disclosure, in recording: RecordingID) {
        record(disclosure.position, in: recording)
    }

    /// Says whether somebody waits for positions: then none waits for the commit interval.
    public func setAwaited(_ isAwaited: Bool) {
        perform(intake.pending.withLock { $0.await(isAwaited) }, for: nil)
    }

    /// Reads the positions of a recording after a number, with the smallest numbers, at most `limit` and at most 1,000;
    /// those recorded before are included. Dead letters and what was dropped are left out.
    ///
    /// `row` writes each to the output, on the storage thread, as it comes from the database, and returns whether it did:
    /// the page ends before a row that it did not write. `completion` fails with
    /// `noSuchRecording` where there is no such recording.
    public func readPositions<Output: Sendable>(
        of recording: RecordingID, after number: Int64, limit: Int, into output: Output,
        row: @escaping @Sendable (inout Output, Int64, Position) -> Bool,
        completion: @escaping @Sendable (Result<RecordedPage<Output>, JournalError>) -> Void
    ) {
        request(completion) { writer throws(JournalError) in
            try writer.readRecording { store throws(JournalError) in
                var output = output
                let (read, count, reached) = try store.readPositions(of: recording, after: number, limit: limit) {
                    row(&output, $0, $1)
                }
                return RecordedPage(
                    output: output, count: count, reached: reached, last: read.last, acknowledged: read.acknowledged)
            }
        }
    }

    /// Reads the dead letters of a recording after a number, as `readPositions` reads positions.
    public func readDeadLetters<Output: Sendable>(
        of recording: RecordingID, after number: Int64, limit: Int, into output: Output,
        row: @escaping @Sendable (inout Output, DeadLetter) -> Bool,
        completion: @escaping @Sendable (Result<RecordedPage<Output>, JournalError>) -> Void
    ) {
        request(completion) { writer throws(JournalError) in
            try writer.readRecording { store throws(JournalError) in
                var output = output
                let (read, count, reached) = try store.readDeadLetters(of: recording, after: number, limit: limit) {
                    row(&output, $0)
                }
                return RecordedPage(
                    output: output, count: count, reached: reached, last: read.last, acknowledged: read.acknowledged)
            }
        }
    }

    /// Takes new limits, which the next commit applies.
    public func setRecordingRetention(_ retention: RecordingRetention) {
        post { $0.setRecordingRetention(retention) }
    }

    /// Records a position of which nobody has to be asked: a test's.
    func record(_ position: Position, in recording: RecordingID) {
        perform(intake.pending.withLock { $0.append(position, of: recording) }, for: nil)
    }

    private func change(
        _ change: RecordingChange, reporter events: [Event] = [],
        completion: @escaping @Sendable (Result<RecordingOutcome, JournalError>) -> Void
    ) {
        let request = RecordingRequest(change: change, completion: completion)
        var refusal: PendingEvents.Completion?
        let effect = intake.pending.withLock { pending in
            let entry = PendingEvents.Entry(request, reporter: events, at: .init(clock))
            refusal = entry.completion
            return pending.append(entry, isUrgent: true)
        }
        perform(effect, for: refusal)
    }
}

extension RecordingOutcome {
    /// The recording, of a change whose outcome that is.
    fileprivate var recording: Result<StoredRecording, JournalError> {
        if case .recording(let recording) = self { .success(recording) } else { .failure(Self.mismatch) }
    }

    /// The number, of a change whose outcome that is.
    fileprivate var number: Result<Int64, JournalError> {
        if case .number(let number) = self { .success(number) } else { .failure(Self.mismatch) }
    }

    private static let mismatch = JournalError("change a recording", .unreadable, "the outcome is of another change")
}
