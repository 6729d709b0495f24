import Authorization
import Location
import Platform
import TestSupport
import Testing

@testable import Journal
@testable import Storage

/// The expected state of a recording after each change: a simple model without a database.
private struct Model {
    let id: RecordingID
    var last: Int64 = 0
    var acknowledged: Int64 = 0
    var waiting: [Int64: Position] = [:]
    var letters: [Int64: Position] = [:]

    mutating func record(_ position: Position) {
        last += 1
        waiting[last] = position
    }

    mutating func acknowledge(upTo number: Int64) {
        acknowledged = max(acknowledged, min(number, last))
        waiting = waiting.filter { $0.key > acknowledged }
    }

    /// Whether there was such a position.
    mutating func reject(_ number: Int64) -> Bool {
        guard let position = waiting.removeValue(forKey: number) ?? letters[number] else { return false }
        letters[number] = position
        return true
    }
}

@Suite(.timeLimit(.minutes(15))) struct RecordingModelTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: 1...6)
    func `after any changes recordings equal a model of them`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var options = JournalOptions()
        options.commitInterval = .milliseconds(10)
        options.largestPositionBatch = 7
        var bench = try Bench(directory.path, options: options, clock: clock)
        let keys = (0..<3).map { RecordingKey.named("way-\($0)") }
        var models: [RecordingKey: Model] = [:]
        for step in 1...400 {
            let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
            guard var model = models[key] else {
                let stored = try await bench.start(key)
                #expect(stored.last == 0)
                models[key] = Model(id: stored.id)
                continue
            }
            let number = Int64.random(in: 0...(model.last + 2), using: &generator)
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<55:
                for _ in 0..<Int.random(in: 1...9, using: &generator) {
                    let position = Position.random(using: &generator)
                    bench.journal.record(position, in: model.id)
                    model.record(position)
                }
            case 55..<65:
                _ = try await bench.positions(of: model.id, limit: 0)
                model.acknowledge(upTo: number)
                #expect(try await bench.acknowledge(model.id, upTo: number) == model.acknowledged)
            case 65..<78:
                _ = try await bench.positions(of: model.id, limit: 0)
                let isThere = model.reject(number)
                #expect(
                    await isDone { try await bench.reject(model.id, number, message: "no \(step)") } == isThere)
            case 78..<84:
                let isThere = model.letters.removeValue(forKey: number) != nil
                #expect(await isDone { try await bench.revive(model.id, number) } == isThere)
            case 84..<86:
                let count = model.waiting.count + model.letters.count
                _ = try await bench.positions(of: model.id, limit: 0)
                #expect(try await bench.erase(key) == Int64(count))
                models[key] = nil
                continue
            case 86..<88: #expect(try await !bench.stop(key).isStarted)
            case 88..<90: #expect(try await bench.start(key).id == model.id)
            case 90..<93:
                try await bench.close()
                bench = try Bench(directory.path, options: options, clock: clock)
            default: try await check(bench, key, model)
            }
            models[key] = model
        }
        for (key, model) in models { try await check(bench, key, model) }
        let verification = try await bench.verify()
        #expect(verification.findings == [])
        #expect(verification.recordings == models.count)
        try await bench.close()

        let again = try Bench(directory.path, clock: clock)
        let loaded = try #require(await again.loadedRecordings()).recordings
        for recording in loaded {
            let model = try #require(models[recording.key])
            #expect(recording.id == model.id)
            #expect(recording.last == model.last)
            #expect(recording.acknowledged == model.acknowledged)
            #expect(recording.waiting == Int64(model.waiting.count))
            #expect(recording.deadLetters == Int64(model.letters.count))
            let oldest = model.waiting.min { $0.key < $1.key }?.value
            #expect(recording.oldestWaiting == oldest.flatMap { UTCTime(secondsSinceEpoch: $0.timestamp) })
        }
        #expect(loaded.count == models.count)
        try await again.close()
    }

    /// False if there was no such position.
    private func isDone(_ change: () async throws -> Void) async -> Bool {
        do {
            try await change()
            return true
        } catch {
            #expect((error as? StorageError)?.reason == .noSuchPosition)
            return false
        }
    }

    private func check(_ bench: Bench, _ key: RecordingKey, _ model: Model) async throws {
        let page = try await bench.positions(of: model.id)
        let expected = model.waiting.sorted { $0.key < $1.key }.map {
            RecordedPosition(recording: model.id, sequence: $0.key, position: $0.value)
        }
        #expect(page.output == expected)
        #expect(page.last == model.last)
        #expect(page.acknowledged == model.acknowledged)
        let letters = try await bench.deadLetters(of: model.id).output
        #expect(letters.map(\.sequence) == model.letters.keys.sorted())
        for letter in letters { #expect(letter.position == model.letters[letter.sequence]) }
        let verification = try await bench.verify()
        #expect(verification.findings == [])
    }
}
