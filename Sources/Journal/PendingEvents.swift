import Location
import Platform

/// The events that wait to be committed, in order, and what is to be done about them. A value without clock or thread:
/// each change returns what the caller is to do.
struct PendingEvents {
    /// Says how an append went: the sequence number, once durable.
    typealias Completion = @Sendable (Result<Int64, JournalError>) -> Void

    /// What one call appended, stamped then: it becomes durable as a whole or not at all.
    struct Entry: Sendable {
        var timeMicroseconds: Int64
        var monotonicNanoseconds: UInt64
        var events: [Row]
        var changes: [StoredChange]
        /// What is to become of a recording, of which the events tell.
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
                // Success is told by the one who knows what came of it.
                if case .failure(let error) = result { request.completion(.failure(error)) }
            }
            self.request = request
        }

        /// Whether something changes with it but the events.
        var isChange: Bool { !changes.isEmpty || request != nil }

        /// What it counts for among the changes that wait.
        var changesBytes: Int {
            if !isChange { return 0 }
            return changes.reduce(request?.change.bytes ?? 0) { $0 + $1.bytes }
                + events.reduce(0) { $0 + 128 + $1.bytes }
        }
    }

    /// An event as it is written.
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

    /// A moment on both clocks.
    struct Stamp: Sendable {
        var utcMicroseconds: Int64
        var monotonicNanoseconds: UInt64

        init(_ clock: any TimeSource) {
            utcMicroseconds = clock.utcMicroseconds
            monotonicNanoseconds = clock.monotonicNanoseconds
        }
    }

    /// How many events are missing, and when they were.
    struct Dropped: Equatable, Sendable {
        var count: Int64
        var fromMicroseconds: Int64
        var toMicroseconds: Int64

        mutating func add(_ other: Dropped) {
            count += other.count
            fromMicroseconds = min(fromMicroseconds, other.fromMicroseconds)
            toMicroseconds = max(toMicroseconds, other.toMicroseconds)
        }

        /// The event that tells of it.
        func event(reason: String) -> Event {
            .dropped(
                count, from: UTCTime(microseconds: fromMicroseconds), to: UTCTime(microseconds: toMicroseconds),
                reason: reason)
        }
    }

    /// What the storage thread does with events at present.
    enum Mode: Equatable, Sendable {
        /// The database is being opened, and what waits is committed then.
        case opening
        /// Events are committed.
        case running
        /// Commits fail; a retry is on its way.
        case blocked
        /// Nothing is taken any more.
        case ended(JournalError)
    }

    /// What the caller of `append` is to do.
    enum Effect {
        case nothing
        /// Have the storage thread commit.
        case commit
        /// Have it commit after the commit interval.
        case commitLater
        /// Tell the one who awaits this event.
        case refuse(JournalError)
    }

    /// What one transaction is to hold.
    struct Batch {
        var entries: [Entry] = []
        /// The drops that the last entry tells of.
        var dropped: Dropped?
        /// How many entries at the end were made for this batch, and are made anew for the next attempt.
        var notices = 0
    }

    /// The most that wait; while a batch is being committed, as many again.
    let capacity: Int
    var mode = Mode.opening
    /// Whether somebody follows, so that every event is committed at once.
    var isFollowed = false
    /// Whether somebody waits for positions, so that every one is committed at once.
    private var isAwaited = false
    /// The positions that wait.
    var positions: PendingPositions
    private(set) var entries: [Entry] = []
    private var changesBytes = 0
    private var inFlight = 0
    private var isCommitRequested = false
    private var isCommitTimed = false
    private var dropped: Dropped?
    /// How many events were dropped since the start.
    private(set) var droppedTotal: Int64 = 0

    init(capacity: Int, positionCapacity: Int = JournalOptions().positionCapacity) {
        self.capacity = max(capacity, 1)
        positions = PendingPositions(capacity: positionCapacity)
    }

    /// How many wait, those that are being committed included.
    var count: Int { entries.count + inFlight }

    /// Takes one more call's events at the end of the queue. Changes have a bound of their own, and never make room for
    /// events.
    mutating func append(_ entry: Entry, isUrgent: Bool) -> Effect {
        if case .ended(let error) = mode {
            droppedTotal += 1
            return .refuse(error)
        }
        if let bytes = entry.events.map(\.bytes).max(), bytes > JournalOptions.largestEventBytes {
            // Who awaits it is told; otherwise the journal tells.
            if entry.completion == nil { drop([entry]) }
            let message = "\(bytes) bytes, at most \(JournalOptions.largestEventBytes)"
            return .refuse(JournalError("append an event", .tooLarge, message))
        }
        if entry.isChange {
            let bytes = changesBytes + entry.changesBytes
            guard bytes <= JournalOptions.largestChangesBytes else {
                let message = "with what waits \(bytes) bytes, at most \(JournalOptions.largestChangesBytes)"
                return .refuse(JournalError("append changes", .overloaded, message))
            }
            changesBytes = bytes
        } else if entries.count >= capacity, !dropOldest() {
            if entry.completion == nil { drop([entry]) }
            return .refuse(JournalError("append an event", .overloaded, "\(capacity) events wait already"))
        }
        entries.append(entry)
        switch mode {
        case .opening, .ended: return .nothing
        case .blocked: return entry.completion == nil ? .nothing : requestCommit()
        case .running: return isUrgent || isFollowed ? requestCommit() : timeCommit()
        }
    }

    /// Takes one more position of a recording.
    mutating func append(_ position: Position, of recording: RecordingID) -> Effect {
        if case .ended = mode { return .nothing }
        positions.append(position, of: recording)
        guard mode == .running else { return .nothing }
        return isAwaited ? requestCommit() : timeCommit()
    }

    /// Somebody began to wait for positions, or nobody does any more.
    mutating func await(_ isAwaited: Bool) -> Effect {
        self.isAwaited = isAwaited
        return isAwaited && mode == .running && positions.count > 0 ? requestCommit() : .nothing
    }

    /// Somebody began to wait for what there is.
    mutating func follow(_ isFollowed: Bool) -> Effect {
        self.isFollowed = isFollowed
        return isFollowed && mode == .running && !entries.isEmpty ? requestCommit() : .nothing
    }

    /// Everything that waits, then these notices and one of what was dropped, stamped now: they come last, so that time
    /// does not run backwards in the journal.
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

    /// The batch is durable. What came meanwhile, while the mode was another, had nobody ask for its commit.
    mutating func committed() -> Effect {
        inFlight = 0
        mode = .running
        return entries.isEmpty && positions.count == 0 || isCommitTimed ? .nothing : requestCommit()
    }

    /// The batch is not in the database: it goes back in front, except what was made for it alone.
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

    /// Takes out what is awaited and returns whom to tell. These events are gone: who is told of a failure may decide
    /// otherwise, and the journal must not tell of it later.
    mutating func refuseAwaited() -> [Completion] {
        let completions = entries.compactMap(\.completion)
        if !completions.isEmpty { entries.removeAll { $0.completion != nil } }
        // Changes are always awaited.
        changesBytes = 0
        return completions
    }

    /// Nothing is taken any more; those who await something are returned.
    mutating func end(_ error: JournalError) -> [Completion] {
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

    /// False where everyone in the queue is awaited.
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
