import Authorization
import Location
import Protection
import Storage

extension EventJournal {
    /// Starts a recording, or continues it, with these options: positions recorded before are preserved.
    ///
    /// `completion` receives the recording once it is durable together with its events, or the reason why nothing was
    /// changed. This applies to all changes of recordings.
    public func startRecording(
        _ key: RecordingKey, _ options: RecordingOptions = RecordingOptions(), reporter events: [Event] = [],
        completion: @escaping @Sendable (Result<StoredRecording, StorageError>) -> Void
    ) {
        change(.start(key, options), reporter: events) { completion($0.flatMap(\.recording)) }
    }

    /// Stops a recording and preserves its positions. `noSuchRecording` if it does not exist.
    public func stopRecording(
        _ key: RecordingKey, reporter events: [Event] = [],
        completion: @escaping @Sendable (Result<StoredRecording, StorageError>) -> Void
    ) {
        change(.stop(key), reporter: events) { completion($0.flatMap(\.recording)) }
    }

    /// Stops a recording and erases all of it, including dead letters. The result is the number of erased positions and
    /// dead letters. `noSuchRecording` if it does not exist.
    public func eraseRecording(
        _ key: RecordingKey, reporter events: [Event] = [],
        completion: @escaping @Sendable (Result<Int64, StorageError>) -> Void
    ) {
        change(.erase(key), reporter: events) { completion($0.flatMap(\.number)) }
    }

    /// Moves the cursor of a recording, never backwards and never beyond its last number. The result is the new cursor.
    /// `noSuchRecording` if the recording does not exist.
    ///
    /// `sent` and `filtered` say how many of the positions that the cursor passes were accepted by a destination and
    /// were left out by its filter: they are added to the counts of the recording if the cursor moves.
    public func acknowledge(
        _ recording: RecordingID, upTo number: Int64, sent: Int64 = 0, filtered: Int64 = 0,
        completion: @escaping @Sendable (Result<Int64, StorageError>) -> Void
    ) {
        change(.acknowledge(recording, upTo: number, sent: sent, filtered: filtered)) {
            completion($0.flatMap(\.number))
        }
    }

    /// Makes a position a dead letter, or replaces the message of one; up to a kilobyte of the message is stored.
    /// `noSuchPosition` if there is neither, `noSuchRecording` if the recording does not exist.
    public func reject(
        _ recording: RecordingID, _ number: Int64, status: Int, message: String, reporter events: [Event] = [],
        completion: @escaping @Sendable (Result<Void, StorageError>) -> Void
    ) {
        change(.reject(recording, number, status: status, message: message), reporter: events) { result in
            completion(result.map { _ in })
        }
    }

    /// Removes a dead letter that was accepted after all, and counts it as sent. `noSuchPosition` if it does not exist, `noSuchRecording` if
    /// the recording does not.
    public func revive(
        _ recording: RecordingID, _ number: Int64, reporter events: [Event] = [],
        completion: @escaping @Sendable (Result<Void, StorageError>) -> Void
    ) {
        change(.revive(recording, number), reporter: events) { result in completion(result.map { _ in }) }
    }

    /// Records a disclosed position under the recording's next number: durable with the next transaction, at most the
    /// commit interval later. If the queue is full, the oldest position is dropped and counted, and an event reports
    /// it. Positions for an erased recording are ignored.
    ///
    /// The position is sealed with a class. If that class cannot be written when the position is to be stored, it is dropped
    /// and counted.
    public func record(
        _ disclosure: Disclosure, in recording: RecordingID, _ protection: ProtectionClass = .none
    ) {
        record(disclosure.position, in: recording, protection)
    }

    /// Sets whether a reader waits for positions: then they are committed without waiting for the commit interval.
    public func setAwaited(_ isAwaited: Bool) {
        perform(intake.pending.withLock { $0.await(isAwaited) }, for: nil)
    }

    /// Reads the positions of a recording after a number in ascending order, at most `limit` and at most 1,000.
    /// Positions recorded before this call are included, dead letters and dropped positions are not.
    ///
    /// `row` writes a row to the output, on the storage thread, and returns whether it did: the page ends before a row
    /// that was not written. `completion` fails with `noSuchRecording` if the recording does not exist.
    /// `noSuchRecording` where there is no such recording.
    public func readPositions<Output: Sendable>(
        of recording: RecordingID, after number: Int64, limit: Int, into output: Output,
        row: @escaping @Sendable (inout Output, Int64, Position) -> Bool,
        completion: @escaping @Sendable (Result<RecordedPage<Output>, StorageError>) -> Void
    ) {
        request(completion) { writer throws(StorageError) in
            try writer.readRecording { store throws(StorageError) in
                var output = output
                let (read, count, reached) = try store.readPositions(of: recording, after: number, limit: limit) {
                    row(&output, $0, $1)
                }
                return RecordedPage(
                    output: output, count: count, reached: reached, last: read.last, acknowledged: read.acknowledged)
            }
        }
    }

    /// Reads the dead letters of a recording after a number, as `readPositions` does.
    public func readDeadLetters<Output: Sendable>(
        of recording: RecordingID, after number: Int64, limit: Int, into output: Output,
        row: @escaping @Sendable (inout Output, DeadLetter) -> Bool,
        completion: @escaping @Sendable (Result<RecordedPage<Output>, StorageError>) -> Void
    ) {
        request(completion) { writer throws(StorageError) in
            try writer.readRecording { store throws(StorageError) in
                var output = output
                let (read, count, reached) = try store.readDeadLetters(of: recording, after: number, limit: limit) {
                    row(&output, $0)
                }
                return RecordedPage(
                    output: output, count: count, reached: reached, last: read.last, acknowledged: read.acknowledged)
            }
        }
    }

    /// Sets new limits, which the next commit applies.
    public func setRecordingRetention(_ retention: RecordingRetention) {
        post { $0.setRecordingRetention(retention) }
    }

    /// Records a position without a disclosure, for tests.
    func record(_ position: Position, in recording: RecordingID, _ protection: ProtectionClass = .none) {
        perform(intake.pending.withLock { $0.append(position, of: recording, protection) }, for: nil)
    }

    private func change(
        _ change: RecordingChange, reporter events: [Event] = [],
        completion: @escaping @Sendable (Result<RecordingOutcome, StorageError>) -> Void
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
    /// The recording that is the outcome of a change.
    fileprivate var recording: Result<StoredRecording, StorageError> {
        if case .recording(let recording) = self { .success(recording) } else { .failure(Self.mismatch) }
    }

    /// The number that is the outcome of a change.
    fileprivate var number: Result<Int64, StorageError> {
        if case .number(let number) = self { .success(number) } else { .failure(Self.mismatch) }
    }

    private static let mismatch = StorageError("change a recording", .unreadable, "the outcome is of another change")
}
