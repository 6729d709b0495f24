import Glibc
import Platform
import TestSupport

@testable import Journal

extension TemporaryDirectory {
    func names(_ subdirectory: String = "") -> [String] {
        DirectoryListing.names("\(path)\(subdirectory)").sorted()
    }

    func bytes(_ name: String) throws -> [UInt8] {
        let file = try OwnedDescriptor("open", subject: name) { open("\(path)/\(name)", O_RDONLY) }
        let size = Int(lseek(file.number, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: size)
        guard pread(file.number, &bytes, size, 0) == size else { throw SystemError("read", subject: name) }
        return bytes
    }

    func overwrite(_ name: String, at offset: Int, with bytes: [UInt8]) throws {
        let file = try OwnedDescriptor("open", subject: name) { open("\(path)/\(name)", O_WRONLY | O_CREAT, 0o600) }
        guard pwrite(file.number, bytes, bytes.count, off_t(offset)) == bytes.count else {
            throw SystemError("write", subject: name)
        }
    }
}

extension ManualClock {
    /// A clock that stands at this second since the epoch: 1,800,000,000 is 2027-01-15T08:00:00Z.
    convenience init(utcSeconds: Int64) { self.init(utcMicroseconds: utcSeconds * 1_000_000) }
}

/// A journal with its callbacks made awaitable.
final class Bench: Sendable {
    let journal: EventJournal
    let states: AsyncStream<JournalState>
    let commits: AsyncStream<[StoredEvent]>
    let loads: AsyncStream<LoadedAuthorization>

    init(
        _ path: String, options: JournalOptions = JournalOptions(), clock: any TimeSource = SystemClock(),
        bootID: String? = nil
    ) throws {
        let (states, state) = AsyncStream<JournalState>.makeStream()
        let (commits, commit) = AsyncStream<[StoredEvent]>.makeStream()
        let (loads, load) = AsyncStream<LoadedAuthorization>.makeStream()
        self.loads = loads
        self.states = states
        self.commits = commits
        journal = try EventJournal(
            directory: path, options: options, clock: clock, bootID: bootID, deliver: { $0() },
            onStateChange: { state.yield($0) },
            onLoad: {
                load.yield($0)
                load.finish()
            }, onCommit: { commit.yield($0) })
    }

    /// The first state that is as asked for; the test's time limit is the deadline.
    func state(_ matches: (JournalState) -> Bool) async -> JournalState? {
        for await state in states where matches(state) { return state }
        return nil
    }

    /// Commits as they come, up to one that holds such an event.
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

    /// What was found of authorization at the opening.
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

    func close() async throws {
        try await withCheckedContinuation { continuation in
            journal.close { continuation.resume(returning: $0) }
        }.get()
    }
}

extension Event {
    /// A remark with a number.
    static func remark(_ number: Int) -> Event { Event(.note, details: ["number": .integer(Int64(number))]) }
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
