import Authorization
import Platform
import Storage

/// The journal of events: appended to from the daemon's loop, written by its own thread.
///
/// Nothing here blocks but a lock that is held for microseconds. Reports and completions run on the owner's loop, see
/// `JournalOwner`.
public final class EventJournal: Sendable {
    /// How soon an event is committed.
    public enum Urgency: Equatable, Sendable {
        /// With the next transaction, at once.
        case now
        /// With the next transaction, at most the commit interval later.
        case interval
    }

    let options: JournalOptions
    let clock: any TimeSource
    let thread: StorageThread
    let intake: Intake
    let outlet: JournalOutlet
    let writer: JournalWriter

    /// Starts to open the journal in a directory, which is created if it is missing; events that are appended before are
    /// pending. Throws where the thread cannot be started.
    public init(
        directory: String, options: JournalOptions = JournalOptions(), clock: any TimeSource = SystemClock(),
        bootID: String? = nil, owner: any JournalOwner
    ) throws(SystemError) {
        self.options = options
        self.clock = clock
        thread = try StorageThread(capacity: options.readerCapacity)
        intake = Intake(options)
        outlet = JournalOutlet(owner: owner)
        writer = JournalWriter(
            path: directory, options: options, clock: clock, bootID: bootID ?? BootIdentity.current(), thread: thread,
            intake: intake, outlet: outlet)
        commit()
    }

    /// Records an event with the current time.
    ///
    /// `completion` receives the sequence number once the event is durable, or the reason why it never will be: a
    /// result never waits for disk space. An event without a completion is retained until it can be written, as long as
    /// the queue has room; after that the oldest is dropped and counted, and an event reports it.
    public func append(
        _ event: Event, urgency: Urgency = .interval,
        completion: (@Sendable (Result<Int64, StorageError>) -> Void)? = nil
    ) {
        let effect = intake.pending.withLock { pending in
            // The timestamp is made within the lock, so that timestamps have the order of the queue.
            let entry = PendingEvents.Entry([event], at: .init(clock), completion: completion)
            return pending.append(entry, isUrgent: urgency == .now || completion != nil)
        }
        perform(effect, for: completion)
    }

    /// Records events and their changes in one transaction, which is committed at once and after everything appended
    /// before.
    ///
    /// `completion` receives success once all of it is durable, or the reason why none of it ever will be: the caller
    /// may then append it again. It is never dropped to make room; if too many changes are pending, it is refused as
    /// `overloaded`.
    public func append(
        _ events: [Event], changes: [StoredChange],
        completion: @escaping @Sendable (Result<Void, StorageError>) -> Void
    ) {
        let completion: PendingEvents.Completion = { result in completion(result.map { _ in }) }
        let effect = intake.pending.withLock { pending in
            let entry = PendingEvents.Entry(events, changes: changes, at: .init(clock), completion: completion)
            return pending.append(entry, isUrgent: true)
        }
        perform(effect, for: completion)
    }

    /// Stores the events and changes of the policy's effect `persist` in one transaction.
    public func append(
        _ records: [Policy.Record], completion: @escaping @Sendable (Result<Void, StorageError>) -> Void
    ) {
        append(records.map { Event($0) }, changes: records.compactMap { StoredChange($0) }, completion: completion)
    }

    /// Sets whether `onCommit` has a follower: then events are committed without waiting for the commit interval.
    public func setFollowed(_ isFollowed: Bool) {
        perform(intake.pending.withLock { $0.follow(isFollowed) }, for: nil)
    }

    /// Reads events, including those appended before. The events that `onCommit` reports after the completion continue
    /// the page without a gap.
    public func read(
        _ query: EventQuery, completion: @escaping @Sendable (Result<EventPage, StorageError>) -> Void
    ) {
        request(completion) { writer throws(StorageError) in try writer.read(query) }
    }

    /// Checks the whole journal. Events appended meanwhile are queued.
    public func verify(completion: @escaping @Sendable (Result<Verification, StorageError>) -> Void) {
        request(completion) { writer throws(StorageError) in try writer.verify() }
    }

    /// Reads the journal's statistics.
    public func statistics(completion: @escaping @Sendable (Result<JournalStatistics, StorageError>) -> Void) {
        request(completion) { writer throws(StorageError) in try writer.statistics() }
    }

    /// Sets new limits, which the next commit applies.
    public func setRetention(_ retention: Retention) {
        post { $0.setRetention(retention) }
    }

    /// Writes the queue, ends the thread and releases the directory. Later appends are refused.
    public func close(completion: @escaping @Sendable (Result<Void, StorageError>) -> Void) {
        request(mustRun: true, completion) { writer throws(StorageError) in try writer.close() }
    }

    deinit {
        // Without `close` the queue is written all the same, and a failure is reported as a last change of state.
        _ = thread.submit(mustRun: true) { [writer] in
            writer.assumeIsolated { writer in
                do throws(StorageError) { try writer.close() } catch { writer.fail(error) }
            }
        }
    }

    /// Performs the effect of a change of the queue.
    func perform(_ effect: PendingEvents.Effect, for completion: PendingEvents.Completion?) {
        switch effect {
        case .nothing: break
        case .commit: commit()
        case .commitLater:
            thread.schedule(after: options.commitInterval) { [weak writer] in
                writer?.assumeIsolated { $0.commitWaiting() }
            }
        case .refuse(let error):
            if let completion { outlet.refuse([completion], error) }
        }
    }

    private func commit() {
        post { $0.commitWaiting() }
    }

    /// Runs work on the writer after all earlier calls.
    func post(_ work: @escaping @Sendable (isolated JournalWriter) -> Void) {
        _ = thread.submit(mustRun: true) { [writer] in writer.assumeIsolated { work($0) } }
    }

    /// Queries the writer after all earlier calls.
    func request<Answer: Sendable>(
        mustRun: Bool = false, _ completion: @escaping @Sendable (Result<Answer, StorageError>) -> Void,
        _ work: @escaping @Sendable (isolated JournalWriter) throws(StorageError) -> Answer
    ) {
        let isTaken = thread.submit(mustRun: mustRun) { [writer, outlet] in
            let result = writer.assumeIsolated { writer in
                Result { () throws(StorageError) in try work(writer) }
            }
            outlet.deliver { completion(result) }
        }
        if isTaken { return }
        let error = StorageError("query the journal", .overloaded, "closed, or \(options.readerCapacity) wait already")
        outlet.deliver { completion(.failure(error)) }
    }
}
