import Authorization
import CLinux
import Glibc
import Journal
import Location
import Platform
import Protection
import Storage
import Synchronization
import TestSupport

/// A journal into which positions are recorded as fast as it accepts them.
final class RecordedRoute {
    /// The journal did not perform a request.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let journal: EventJournal
    private let disclosures: [Disclosure]
    private var fed: Int64 = 0
    /// The class with which positions are recorded.
    private var protection = ProtectionClass.none
    /// Its name.
    private(set) var recording: RecordingID

    /// The maximum number of pending positions: less than the queue's capacity, so that none is dropped.
    private static let inProgress: Int64 = 8_000

    /// A journal in a folder with one recording, of an app of this name, with a number of positions per transaction.
    init(in folder: String, perTransaction count: Int, of app: String = "benchmark", as name: String = "route") throws {
        var options = JournalOptions()
        options.positionCapacity = Int(2 * Self.inProgress)
        options.largestPositionBatch = count
        let last = Reached()
        journal = try EventJournal(directory: folder, options: options, owner: last)
        reached = last
        disclosures = try Self.disclosures()
        recording = RecordingID(high: 0, low: 0)
        let key = RecordingKey(app: AppID(uid: getuid(), name: app), identifier: name)
        recording = try wait { journal.startRecording(key, RecordingOptions(onRevoke: .keep), completion: $0) }.id
        journal.setAwaited(true)
    }

    private let reached: Reached

    /// What the journal has made durable, seen from another thread.
    private final class Reached: JournalOwner {
        let number = Atomic<Int64>(0)

        func deliver(_ work: @escaping @Sendable () -> Void) { work() }

        func receive(_ report: JournalReport) {
            guard case .recordingsChanged(let all) = report else { return }
            number.store(all.first?.last ?? 0, ordering: .releasing)
        }
    }

    /// Records a number of positions, and returns the nanoseconds until the last one is durable.
    func record(_ count: Int) throws -> UInt64 {
        let began = SystemClock().monotonicNanoseconds
        let end = fed + Int64(count)
        let deadline = PollDeadline(seconds: 600)
        while reached.number.load(ordering: .acquiring) < end {
            if deadline.hasPassed { throw Failure(description: "the journal accepts no more positions") }
            let durable = reached.number.load(ordering: .acquiring)
            while fed < end, fed - durable < Self.inProgress {
                journal.record(disclosures[Int(fed) % disclosures.count], in: recording, protection)
                fed += 1
            }
            _ = poll(nil, 0, 1)
        }
        return SystemClock().monotonicNanoseconds - began
    }

    /// Reads everything and acknowledges each page, and returns the nanoseconds it took.
    func drain() throws -> UInt64 {
        try readPages { cursor in _ = try wait { journal.acknowledge(recording, upTo: cursor, completion: $0) } }
    }

    /// Reads everything, and returns the nanoseconds it took.
    func readAll() throws -> UInt64 { try readPages { _ in } }

    /// Reads everything a thousand at a time, and passes the last number of each page to the body. Returns the nanoseconds it took.
    private func readPages(_ body: (Int64) throws -> Void) throws -> UInt64 {
        let began = SystemClock().monotonicNanoseconds
        var cursor: Int64 = 0
        while cursor < fed {
            let page = try wait { completion in
                journal.readPositions(
                    of: recording, after: cursor, limit: 1_000, into: Int64(0),
                    row: { last, number, _ in
                        last = number
                        return true
                    },
                    completion: completion)
            }
            guard page.count > 0 else { throw Failure(description: "positions are missing after \(cursor)") }
            cursor = page.output
            try body(cursor)
        }
        return SystemClock().monotonicNanoseconds - began
    }

    /// Sets the keys of a user, beside those of the machine. Returns when the journal uses them.
    func use(_ keys: AvailableKeys, of user: UInt32) throws {
        try wait { journal.setKeys(keys, of: user, completion: $0) }
    }

    /// Records for so many users, each with the next position in turn, and returns the nanoseconds until the last is durable.
    func record(_ count: Int, inTurnFor users: ClosedRange<UInt32>) throws -> UInt64 {
        var recordings: [RecordingID] = []
        for user in users {
            let key = RecordingKey(app: AppID(uid: user, name: "benchmark"), identifier: "route")
            recordings.append(
                try wait { journal.startRecording(key, RecordingOptions(onRevoke: .keep), completion: $0) }.id)
        }
        let began = SystemClock().monotonicNanoseconds
        for number in 0..<count {
            journal.record(
                disclosures[number % disclosures.count], in: recordings[number % recordings.count], protection)
            // A page of none is read when everything before it is durable.
            guard number % Int(Self.inProgress) == Int(Self.inProgress) - 1 || number == count - 1 else { continue }
            for recording in recordings { try finish(recording) }
        }
        return SystemClock().monotonicNanoseconds - began
    }

    private func finish(_ recording: RecordingID) throws {
        _ = try wait { completion in
            journal.readPositions(
                of: recording, after: 0, limit: 0, into: Int64(0), row: { _, _, _ in true }, completion: completion)
        }
    }

    /// Sets the keys, and the class of the following positions. Returns when the journal uses the keys.
    func use(_ keys: AvailableKeys, _ protection: ProtectionClass) throws {
        try wait { journal.setKeys(keys, completion: $0) }
        self.protection = protection
    }

    /// The position recorded under a number.
    func position(_ number: Int64) -> RecordedPosition {
        let disclosure = disclosures[Int(number - 1) % disclosures.count]
        return RecordedPosition(recording: recording, sequence: number, position: disclosure.position)
    }

    /// Closes the journal.
    func close() throws {
        try wait { journal.close(completion: $0) }
    }

    private func wait<Answer: Sendable>(
        _ question: (@escaping @Sendable (Result<Answer, StorageError>) -> Void) -> Void
    ) throws -> Answer {
        let box = Box<Answer>()
        let bell = try OwnedDescriptor("make an eventfd") { eventfd(0, Int32(EFD_CLOEXEC)) }
        let number = bell.number
        question { result in
            box.answer.withLock { $0 = result }
            var one: UInt64 = 1
            _ = write(number, &one, 8)
        }
        // The descriptor stays open until the reply arrives, or the benchmark ends.
        guard try PollDeadline(seconds: 60).poll(number, for: POLLIN), let result = box.answer.withLock({ $0 }) else {
            throw Failure(description: "the journal does not reply")
        }
        return try result.get()
    }

    private final class Box<Answer: Sendable>: Sendable {
        let answer = Mutex<Result<Answer, StorageError>?>(nil)
    }

    /// A thousand positions of a drive, each with all members of a receiver's report.
    private static func disclosures() throws -> [Disclosure] {
        let app = AppID(uid: getuid(), name: "benchmark")
        let manifest = Manifest(
            name: LocalizedText("benchmark"), binding: ManifestBinding([.exec: "/benchmark"]),
            alwaysUsage: LocalizedText("why"),
            mayRecord: true)
        let policy = Policy(
            restoring: [app: Grant(permission: .always)], manifests: ManifestCatalogue(shared: [app.name: manifest]))
        let now = Instant(monotonicNanoseconds: 1, utc: UTCTime(microseconds: 1_800_000_000_000_000))
        let decision = policy.decideRecording(for: app, at: now)
        return try (0..<1_000).map { step in
            let route = Double(step)
            guard let place = Coordinate(latitude: 47 + route * 1.37e-5, longitude: 8.5 + route * 2.11e-5) else {
                throw Failure(description: "a place is not on the Earth")
            }
            let fix = Fix(
                time: UTCTime(microseconds: 1_800_000_000_000_000 + Int64(step) * 100_000), receivedAt: 1,
                coordinate: place, horizontalAccuracy: 3.217, altitude: 431.2 + route / 10,
                ellipsoidalAltitude: 478.9 + route / 10, verticalAccuracy: 5.52, speed: 13.9, speedAccuracy: 0.31,
                course: 57.25, courseAccuracy: 2.5, climb: 0.1, quality: .ordinary)
            guard let disclosure = decision.view(of: fix) else {
                throw Failure(description: "the gate refuses: \(decision)")
            }
            return disclosure
        }
    }
}
