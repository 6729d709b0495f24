import Authorization
import Platform

/// The journal of what happened: appended to from the daemon's loop, written by a thread of its own.
///
/// Nothing here blocks but a lock that is held for microseconds. Every callback goes through `deliver`, in the order of
/// what it tells; `deliver` is called from any thread and must run what it is given in that order.
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

    /// Starts to open the journal in a directory, which is made where it is missing.
    ///
    /// `onStateChange` says how that went; what is appended before waits. `onLoad` gets what is stored of authorization
    /// and the recordings, once and before anything else is answered: as soon as the database is open, or known never to
    /// be. `onRecordings` gets all recordings after each transaction that has changed any, `onCommit` every event once it
    /// is durable, in order. Throws where the thread cannot be started.
    public init(
        directory: String, options: JournalOptions = JournalOptions(), clock: any TimeSource = SystemClock(),
        bootID: String? = nil, deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        onStateChange: @escaping @Sendable (JournalState) -> Void = { _ in },
        onLoad: @escaping @Sendable (LoadedAuthorization, LoadedRecordings) -> Void = { _, _ in },
        onRecordings: @escaping @Sendable ([StoredRecording]) -> Void = { _ in },
        onCommit: @escaping @Sendable ([StoredEvent]) -> Void = { _ in }
    ) throws(SystemError) {
        self.options = options
        self.clock = clock
        thread = try StorageThread(capacity: options.readerCapacity)
        intake = Intake(options)
        outlet = JournalOutlet(
            deliver: deliver, onStateChange: onStateChange, onCommit: onCommit, onLoad: onLoad,
            onRecordings: onRecordings)
        writer = JournalWriter(
            path: directory, options: options, clock: clock, bootID: bootID ?? BootIdentity.current(), thread: thread,
            intake: intake, outlet: outlet)
        commit()
    }

    /// Records an event, stamped with this moment.
    ///
    /// `completion` gets the sequence number once the event is durable, or the reason why it is not and never will be:
    /// an answer never waits for space on a disk. Without a completion an event waits for better times, as long as the
    /// queue has room; after that the oldest is dropped, counted, and an event tells of it.
    public func append(
        _ event: Event, urgency: Urgency = .interval,
        completion: (@Sendable (Result<Int64, JournalError>) -> Void)? = nil
    ) {
        let effect = intake.pending.withLock { pending in
            // Stamped within the lock, so that the order of the stamps is the order of the queue.
            let entry = PendingEvents.Entry([event], at: .init(clock), completion: completion)
            return pending.append(entry, isUrgent: urgency == .now || completion != nil)
        }
        perform(effect, for: completion)
    }

    /// Records events and the changes of which they tell, in one transaction that is committed at once and after
    /// everything that was appended before.
    ///
    /// `completion` gets success once all of it is durable, or the reason why none of it is and never will be: then the
    /// caller may append it again. Nothing of it is dropped to make room; where more changes wait than there is room for
    /// it is refused as `overloaded`.
    public func append(
        _ events: [Event], changes: [StoredChange],
        completion: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        let completion: PendingEvents.Completion = { result in completion(result.map { _ in }) }
        let effect = intake.pending.withLock { pending in
            let entry = PendingEvents.Entry(events, changes: changes, at: .init(clock), completion: completion)
            return pending.append(entry, isUrgent: true)
        }
        perform(effect, for: completion)
    }

    /// Makes what the policy wants durable so, as its effect `persist` asks: events and changes in one transaction.
    public func append(
        _ records: [Policy.Record], completion: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        append(records.map { Event($0) }, changes: records.compactMap { StoredChange($0) }, completion: completion)
    }

    /// Says whether somebody follows `onCommit`: then nothing waits for the commit interval.
    public func setFollowed(_ isFollowed: Bool) {
        perform(intake.pending.withLock { $0.follow(isFollowed) }, for: nil)
    }

    /// Reads events, those appended before included. What `onCommit` brings after the completion continues the page
    /// without a gap.
    public func read(
        _ query: EventQuery, completion: @escaping @Sendable (Result<EventPage, JournalError>) -> Void
    ) {
        request(completion) { writer throws(JournalError) in try writer.read(query) }
    }

    /// Checks the whole journal. What is appended meanwhile waits.
    public func verify(completion: @escaping @Sendable (Result<Verification, JournalError>) -> Void) {
        request(completion) { writer throws(JournalError) in try writer.verify() }
    }

    /// Says what the journal is like.
    public func statistics(completion: @escaping @Sendable (Result<JournalStatistics, JournalError>) -> Void) {
        request(completion) { writer throws(JournalError) in try writer.statistics() }
    }

    /// Takes new limits, which the next commit applies.
    public func setRetention(_ retention: Retention) {
        post { $0.setRetention(retention) }
    }

    /// Writes what waits, ends the thread and lets go of the directory. What is appended after this is refused.
    public func close(completion: @escaping @Sendable (Result<Void, JournalError>) -> Void) {
        request(mustRun: true, completion) { writer throws(JournalError) in try writer.close() }
    }

    deinit {
        // Without `close`: what waits is written all the same, and a failure is a last change of state.
        _ = thread.submit(mustRun: true) { [writer] in
            writer.assumeIsolated { writer in
                do throws(JournalError) { try writer.close() } catch { writer.fail(error) }
            }
        }
    }

    /// Does what a change of the queue asks for.
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

    /// Has the writer do something, after all that was asked before.
    func post(_ work: @escaping @Sendable (isolated JournalWriter) -> Void) {
        _ = thread.submit(mustRun: true) { [writer] in writer.assumeIsolated { work($0) } }
    }

    /// Has the writer answer, after all that was asked before.
    func request<Answer: Sendable>(
        mustRun: Bool = false, _ completion: @escaping @Sendable (Result<Answer, JournalError>) -> Void,
        _ work: @escaping @Sendable (isolated JournalWriter) throws(JournalError) -> Answer
    ) {
        let isTaken = thread.submit(mustRun: mustRun) { [writer, outlet] in
            let result = writer.assumeIsolated { writer in
                Result { () throws(JournalError) in try work(writer) }
            }
            outlet.deliver { completion(result) }
        }
        if isTaken { return }
        let error = JournalError("ask the journal", .overloaded, "closed, or \(options.readerCapacity) wait already")
        outlet.deliver { completion(.failure(error)) }
    }
}
