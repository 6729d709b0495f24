import Events
import Location
import Protection
import Platform
import Storage

/// The events that are not committed yet, in order, and the next action for them. A value without a clock or a thread:
/// each change returns the action for the caller.
struct PendingEvents {
    /// Receives the result of an append: the sequence number, once durable.
    typealias Completion = @Sendable (Result<Int64, StorageError>) -> Void

    /// The events and changes of one call with its time: they become durable together or not at all.
    struct Entry: Sendable {
        var timeMicroseconds: Int64
        var monotonicNanoseconds: UInt64
        var events: [Row]
        var changes: [StoredChange]
        /// The change of a recording that the events report.
        var request: RecordingRequest?
        var completion: Completion?

        init(_ events: [Event], changes: [StoredChange] = [], at now: Stamp, completion: Completion? = nil) {
            timeMicroseconds = now.utcMicroseconds
            monotonicNanoseconds = now.monotonicNanoseconds
            self.events = events.map(Row.init)
            self.changes = changes
            self.completion = completion
        }

        init(_ request: RecordingRequest, reporter events: [Event], at now: Stamp) {
            self.init(events, at: now) { result in
                // Success is reported by the caller that knows the outcome.
                if case .failure(let error) = result { request.completion(.failure(error)) }
            }
            self.request = request
        }

        /// Whether the entry changes anything besides adding events.
        var isChange: Bool { !changes.isEmpty || request != nil }

        /// The size of the entry for the limit of pending changes.
        var changesBytes: Int {
            if !isChange { return 0 }
            return changes.reduce(request?.change.bytes ?? 0) { $0 + $1.bytes }
                + events.reduce(0) { $0 + 128 + $1.bytes }
        }
    }

    /// An event in the form in which it is written.
    struct Row: Sendable {
        var kind: EventKind
        var app: String?
        var uid: UInt32?
        var details: String

        init(_ event: Event) {
            kind = event.kind
            app = event.app
            uid = event.uid
            details = event.details.json
        }

        var bytes: Int { details.utf8.count + (app?.utf8.count ?? 0) }
    }

    /// An instant on both clocks.
    struct Stamp: Sendable {
        var utcMicroseconds: Int64
        var monotonicNanoseconds: UInt64

        init(_ clock: any TimeSource) {
            utcMicroseconds = clock.utcMicroseconds
            monotonicNanoseconds = clock.monotonicNanoseconds
        }
    }

    /// The number of missing events, and their period.
    struct Dropped: Equatable, Sendable {
        var count: Int64
        var fromMicroseconds: Int64
        var toMicroseconds: Int64

        mutating func add(_ other: Dropped) {
            count += other.count
            fromMicroseconds = min(fromMicroseconds, other.fromMicroseconds)
            toMicroseconds = max(toMicroseconds, other.toMicroseconds)
        }

        /// The event that reports them.
        func event(reason: String) -> Event {
            .dropped(
                count, from: UTCTime(microseconds: fromMicroseconds), to: UTCTime(microseconds: toMicroseconds),
                reason: reason)
        }
    }

    /// The current activity of the storage thread.
    enum Mode: Equatable, Sendable {
        /// The database is being opened, and the queue is committed then.
        case opening
        /// Events are committed.
        case running
        /// Commits fail; a retry is scheduled.
        case blocked
        /// Appends are refused.
        case ended(StorageError)
    }

    /// The action for the caller of `append`.
    enum Effect {
        case nothing
        /// Commit on the storage thread.
        case commit
        /// Commit on the storage thread after the commit interval.
        case commitLater
        /// Report this error to the completion of the event.
        case refuse(StorageError)
    }

    /// The contents of one transaction.
    struct Batch {
        var entries: [Entry] = []
        /// The dropped events that the last entry reports.
        var dropped: Dropped?
        /// The number of entries at the end that were made for this batch, and are made again for the next attempt.
        var notices = 0
    }

    /// The most events in the queue; while a batch is being committed, as many again.
    let capacity: Int
    var mode = Mode.opening
    /// Whether there is a follower, so that every event is committed at once.
    var isFollowed = false
    /// Whether a reader waits for positions, so that every position is committed at once.
    private var isAwaited = false
    /// The positions that are not committed yet.
    var positions: PendingPositions
    private(set) var entries: [Entry] = []
    private var changesBytes = 0
    private var inFlight = 0
    private var isCommitRequested = false
    private var isCommitTimed = false
    private var dropped: Dropped?
    /// The number of events dropped since the start.
    private(set) var droppedTotal: Int64 = 0

    init(capacity: Int, positionCapacity: Int = JournalOptions().positionCapacity) {
        self.capacity = max(capacity, 1)
        positions = PendingPositions(capacity: positionCapacity)
    }

    /// The number of events that are not committed yet, including those in a running commit.
    var count: Int { entries.count + inFlight }

    /// Appends the entry of one call. Changes have their own limit and never displace events.
    mutating func append(_ entry: Entry, isUrgent: Bool) -> Effect {
        if case .ended(let error) = mode {
            droppedTotal += 1
            return .refuse(error)
        }
        if let bytes = entry.events.map(\.bytes).max(), bytes > JournalOptions.largestEventBytes {
            // A completion receives the error; otherwise the journal reports the loss.
            if entry.completion == nil { drop([entry]) }
            let message = "\(bytes) bytes, at most \(JournalOptions.largestEventBytes)"
            return .refuse(StorageError("append an event", .tooLarge, message))
        }
        if entry.isChange {
            let bytes = changesBytes + entry.changesBytes
            guard bytes <= JournalOptions.largestChangesBytes else {
                let message = "with all pending changes \(bytes) bytes, at most \(JournalOptions.largestChangesBytes)"
                return .refuse(StorageError("append changes", .overloaded, message))
            }
            changesBytes = bytes
        } else if entries.count >= capacity, !dropOldest() {
            if entry.completion == nil { drop([entry]) }
            return .refuse(StorageError("append an event", .overloaded, "\(capacity) events are pending already"))
        }
        entries.append(entry)
        switch mode {
        case .opening, .ended: return .nothing
        case .blocked: return entry.completion == nil ? .nothing : requestCommit()
        case .running: return isUrgent || isFollowed ? requestCommit() : timeCommit()
        }
    }

    /// Appends a position of a recording.
    mutating func append(
        _ position: Position, of recording: RecordingID, _ protection: ProtectionClass = .none
    ) -> Effect {
        if case .ended = mode { return .nothing }
        positions.append(position, of: recording, protection)
        guard mode == .running else { return .nothing }
        return isAwaited ? requestCommit() : timeCommit()
    }

    /// Sets whether a reader waits for positions.
    mutating func await(_ isAwaited: Bool) -> Effect {
        self.isAwaited = isAwaited
        return isAwaited && mode == .running && positions.count > 0 ? requestCommit() : .nothing
    }

    /// Sets whether there is a follower.
    mutating func follow(_ isFollowed: Bool) -> Effect {
        self.isFollowed = isFollowed
        return isFollowed && mode == .running && !entries.isEmpty ? requestCommit() : .nothing
    }

    /// The whole queue, followed by these notices and one about dropped events, all with the current time: they are
    /// last, so that times in the journal do not decrease.
    mutating func drain(notices: [Event], at now: Stamp) -> Batch {
        var batch = Batch(entries: entries, dropped: dropped)
        let notices = notices + [dropped?.event(reason: "overflow")].compactMap { $0 }
        batch.entries += notices.map { Entry([$0], at: now) }
        batch.notices = notices.count
        inFlight = entries.count
        entries = []
        changesBytes = 0
        dropped = nil
        (isCommitRequested, isCommitTimed) = (false, false)
        return batch
    }

    /// Records that the batch is durable. Entries appended during another mode have not requested a commit yet.
    mutating func committed() -> Effect {
        inFlight = 0
        mode = .running
        return entries.isEmpty && positions.count == 0 || isCommitTimed ? .nothing : requestCommit()
    }

    /// Returns a batch that is not in the database to the front of the queue, except for the entries made for it alone.
    mutating func giveBack(_ batch: Batch) {
        inFlight = 0
        (isCommitRequested, isCommitTimed) = (false, false)
        entries.insert(contentsOf: batch.entries.dropLast(batch.notices), at: 0)
        changesBytes = entries.reduce(0) { $0 + $1.changesBytes }
        if let lost = batch.dropped { add(lost) }
        var excess = entries.count - capacity
        if excess <= 0 { return }
        var oldest: [Entry] = []
        entries.removeAll { entry in
            guard excess > 0, entry.completion == nil else { return false }
            excess -= 1
            oldest.append(entry)
            return true
        }
        drop(oldest[...])
    }

    /// Removes the entries with completions and returns these. The events must not be written later, because a caller
    /// that is informed of the failure may decide otherwise.
    mutating func refuseAwaited() -> [Completion] {
        let completions = entries.compactMap(\.completion)
        if !completions.isEmpty { entries.removeAll { $0.completion != nil } }
        // Changes always have a completion.
        changesBytes = 0
        return completions
    }

    /// Refuses further appends; returns the pending completions.
    mutating func end(_ error: StorageError) -> [Completion] {
        mode = .ended(error)
        let completions = entries.compactMap(\.completion)
        drop(entries[...])
        entries = []
        positions.end()
        return completions
    }

    private mutating func requestCommit() -> Effect {
        if isCommitRequested { return .nothing }
        isCommitRequested = true
        return .commit
    }

    private mutating func timeCommit() -> Effect {
        if isCommitRequested || isCommitTimed { return .nothing }
        isCommitTimed = true
        return .commitLater
    }

    /// False if every entry in the queue has a completion.
    private mutating func dropOldest() -> Bool {
        guard let index = entries.firstIndex(where: { $0.completion == nil }) else { return false }
        drop([entries.remove(at: index)])
        return true
    }

    private mutating func drop(_ entries: ArraySlice<Entry>) {
        guard let first = entries.first, let last = entries.last else { return }
        let count = entries.reduce(0) { $0 + Int64($1.events.count) }
        droppedTotal += count
        add(
            Dropped(
                count: count, fromMicroseconds: first.timeMicroseconds,
                toMicroseconds: last.timeMicroseconds))
    }

    private mutating func add(_ more: Dropped) {
        if dropped == nil { dropped = more } else { dropped?.add(more) }
    }
}
