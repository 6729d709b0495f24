import Authorization
import Glibc
import Location
import Platform
import TestSupport

@testable import Journal

extension ManualClock {
    /// A clock stopped at this second since the epoch: 1,800,000,000 is 2027-01-15T08:00:00Z.
    convenience init(utcSeconds: Int64) { self.init(utcMicroseconds: utcSeconds * 1_000_000) }
}

/// A journal whose callbacks can be awaited.
final class Bench: Sendable {
    let journal: EventJournal
    let states: AsyncStream<JournalState>
    let commits: AsyncStream<[StoredEvent]>
    let loads: AsyncStream<LoadedAuthorization>
    let recordingLoads: AsyncStream<LoadedRecordings>
    let recordings: AsyncStream<[StoredRecording]>

    init(
        _ path: String, options: JournalOptions = JournalOptions(), clock: any TimeSource = SystemClock(),
        bootID: String? = nil
    ) throws {
        let (states, state) = AsyncStream<JournalState>.makeStream()
        let (commits, commit) = AsyncStream<[StoredEvent]>.makeStream()
        let (loads, load) = AsyncStream<LoadedAuthorization>.makeStream()
        let (recordingLoads, loadRecordings) = AsyncStream<LoadedRecordings>.makeStream()
        let (recordings, news) = AsyncStream<[StoredRecording]>.makeStream()
        self.loads = loads
        self.recordingLoads = recordingLoads
        self.recordings = recordings
        self.states = states
        self.commits = commits
        journal = try EventJournal(
            directory: path, options: options, clock: clock, bootID: bootID,
            owner: TestOwner { report in
                switch report {
                case .stateChanged(let new): state.yield(new)
                case .loaded(let authorization, let recordings):
                    load.yield(authorization)
                    load.finish()
                    loadRecordings.yield(recordings)
                    loadRecordings.finish()
                case .machineSecret: break
                case .recordingsChanged(let all): news.yield(all)
                case .committed(let events): commit.yield(events)
                }
            })
    }

    /// The first matching state; the test's time limit is the deadline.
    func state(_ matches: (JournalState) -> Bool) async -> JournalState? {
        for await state in states where matches(state) { return state }
        return nil
    }

    /// The committed events, up to a commit that contains a matching one.
    func events(through matches: (StoredEvent) -> Bool) async -> [StoredEvent] {
        var all: [StoredEvent] = []
        for await events in commits {
            all += events
            if events.contains(where: matches) { break }
        }
        return all
    }

    @discardableResult
    func append(_ event: Event) async throws -> Int64 {
        try await withCheckedContinuation { continuation in
            journal.append(event, urgency: .now) { continuation.resume(returning: $0) }
        }.get()
    }

    func append(_ events: [Event] = [Event(.authorizationChanged)], changes: [StoredChange]) async throws {
        try await withCheckedContinuation { continuation in
            journal.append(events, changes: changes) { continuation.resume(returning: $0) }
        }.get()
    }

    /// The recordings found at the opening.
    func loadedRecordings() async -> LoadedRecordings? { await recordingLoads.first { _ in true } }

    /// The first reported recordings that match; the test's time limit is the deadline.
    func recordings(_ matches: ([StoredRecording]) -> Bool) async -> [StoredRecording]? {
        for await recordings in recordings where matches(recordings) { return recordings }
        return nil
    }

    @discardableResult
    func start(_ key: RecordingKey, _ options: RecordingOptions = RecordingOptions()) async throws -> StoredRecording {
        try await withCheckedContinuation { continuation in
            journal.startRecording(key, options) { continuation.resume(returning: $0) }
        }.get()
    }

    @discardableResult
    func stop(_ key: RecordingKey) async throws -> StoredRecording {
        try await withCheckedContinuation { continuation in
            journal.stopRecording(key) { continuation.resume(returning: $0) }
        }.get()
    }

    @discardableResult
    func erase(_ key: RecordingKey) async throws -> Int64 {
        try await withCheckedContinuation { continuation in
            journal.eraseRecording(key) { continuation.resume(returning: $0) }
        }.get()
    }

    @discardableResult
    func acknowledge(
        _ id: RecordingID, upTo number: Int64, sent: Int64 = 0, filtered: Int64 = 0
    ) async throws -> Int64 {
        try await withCheckedContinuation { continuation in
            journal.acknowledge(id, upTo: number, sent: sent, filtered: filtered) { continuation.resume(returning: $0) }
        }.get()
    }

    func reject(_ id: RecordingID, _ number: Int64, status: Int = 422, message: String = "no") async throws {
        try await withCheckedContinuation { continuation in
            journal.reject(id, number, status: status, message: message) { continuation.resume(returning: $0) }
        }.get()
    }

    func revive(_ id: RecordingID, _ number: Int64) async throws {
        try await withCheckedContinuation { continuation in
            journal.revive(id, number) { continuation.resume(returning: $0) }
        }.get()
    }

    /// The positions after a number, with their numbers.
    func positions(
        of id: RecordingID, after number: Int64 = 0, limit: Int = 1_000
    ) async throws -> RecordedPage<[RecordedPosition]> {
        try await withCheckedContinuation { continuation in
            journal.readPositions(
                of: id, after: number, limit: limit, into: [RecordedPosition](),
                row: {
                    $0.append(RecordedPosition(recording: id, sequence: $1, position: $2))
                    return true
                },
                completion: { continuation.resume(returning: $0) })
        }.get()
    }

    func deadLetters(of id: RecordingID, after number: Int64 = 0) async throws -> RecordedPage<[DeadLetter]> {
        try await withCheckedContinuation { continuation in
            journal.readDeadLetters(
                of: id, after: number, limit: 1_000, into: [DeadLetter](),
                row: {
                    $0.append($1)
                    return true
                },
                completion: { continuation.resume(returning: $0) })
        }.get()
    }

    /// The authorization found at the opening.
    func loaded() async -> LoadedAuthorization? { await loads.first { _ in true } }

    func read(_ query: EventQuery = EventQuery()) async throws -> EventPage {
        try await withCheckedContinuation { continuation in
            journal.read(query) { continuation.resume(returning: $0) }
        }.get()
    }

    func verify() async throws -> Verification {
        try await withCheckedContinuation { continuation in
            journal.verify { continuation.resume(returning: $0) }
        }.get()
    }

    func statistics() async throws -> JournalStatistics {
        try await withCheckedContinuation { continuation in
            journal.statistics { continuation.resume(returning: $0) }
        }.get()
    }

    func remainsSealed(of user: UInt32? = nil) async throws -> Bool {
        try await withCheckedContinuation { continuation in
            journal.remainsSealed(of: user) { continuation.resume(returning: $0) }
        }.get()
    }

    func rowsToSeal(of user: UInt32) async throws -> RowsToSeal {
        try await withCheckedContinuation { continuation in
            journal.rowsToSeal(of: user) { continuation.resume(returning: $0) }
        }.get()
    }

    func eraseSealed(with keyFile: [UInt8], of user: UInt32) async throws {
        try await withCheckedContinuation { continuation in
            journal.eraseSealed(with: keyFile, of: user) { continuation.resume(returning: $0) }
        }.get()
    }

    func close() async throws {
        try await withCheckedContinuation { continuation in
            journal.close { continuation.resume(returning: $0) }
        }.get()
    }
}

extension Event {
    /// A note with a number.
    static func remark(_ number: Int) -> Event { Event(.note, details: ["number": .integer(Int64(number))]) }
}

extension Position {
    /// A position on a straight line, a second after the one before.
    static func step(_ number: Int) -> Position {
        let fraction = Double(number % 1_000_000)
        guard let coordinate = Coordinate(latitude: 47 + fraction / 1e6, longitude: 8 - fraction / 1e6) else {
            preconditionFailure("the coordinate is valid")
        }
        return Position(
            timestamp: 1_800_000_000 + Double(number), coordinate: coordinate, horizontalAccuracy: 4.2,
            altitude: 400 + fraction / 10, speed: 13.9)
    }
}

extension RecordingKey {
    /// The app's recording with this name.
    static func named(_ identifier: String, of app: String = "org.example.tracker", uid: UInt32 = 1_000) -> Self {
        RecordingKey(app: AppID(uid: uid, name: app), identifier: identifier)
    }
}

/// Runs a program to its end and returns its exit status.
func run(_ arguments: [String]) throws -> Int32 {
    var process = pid_t()
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    let code = posix_spawnp(&process, arguments[0], nil, nil, pointers, environ)
    if code != 0 { throw SystemError("spawn", code: code, subject: arguments[0]) }
    var status: Int32 = 0
    try retrying("wait") { waitpid(process, &status, 0) }
    return (status >> 8) & 0xff
}

/// Gives a test what the journal reports, on the journal's thread.
struct TestOwner: JournalOwner {
    let handle: @Sendable (JournalReport) -> Void

    func deliver(_ work: @escaping @Sendable () -> Void) { work() }

    func receive(_ report: JournalReport) { handle(report) }
}
