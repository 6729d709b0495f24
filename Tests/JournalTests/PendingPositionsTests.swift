import Location
import Platform
import TestSupport
import Testing

@testable import Journal

struct PendingPositionsTests {
    let one = RecordingID(high: 1, low: 1)
    let two = RecordingID(high: 2, low: 2)

    func times(_ batch: PendingPositions.Batch) throws -> [Int] {
        try batch.entries.map { entry in
            let position = try PositionPayloadTests.decoded(Array(batch.bytes[entry.bytes]))
            #expect(UTCTime(secondsSinceEpoch: position.timestamp)?.microseconds == entry.timeMicroseconds)
            return Int(position.timestamp) - 1_800_000_000
        }
    }

    @Test func `positions are returned in order with their recordings`() throws {
        var pending = PendingPositions(capacity: 4)
        pending.append(.step(1), of: one)
        pending.append(.step(2), of: two)
        pending.append(.step(3), of: one)
        var batch = PendingPositions.Batch()
        pending.drain(into: &batch)
        #expect(try times(batch) == [1, 2, 3])
        #expect(batch.entries.map(\.recording) == [one, two, one])
        #expect(pending.count == 0)
        #expect(pending.drainDropped().isEmpty)
    }

    @Test func `a full queue drops the oldest and counts it for its recording`() throws {
        var pending = PendingPositions(capacity: 4)
        for number in 1...11 { pending.append(.step(number), of: number.isMultiple(of: 3) ? two : one) }
        #expect(pending.count == 4)
        #expect(pending.droppedTotal == 7)
        var batch = PendingPositions.Batch()
        pending.drain(into: &batch)
        #expect(try times(batch) == [8, 9, 10, 11])
        #expect(
            pending.drainDropped() == [
                one: .init(
                    count: 5, fromMicroseconds: 1_800_000_001_000_000, toMicroseconds: 1_800_000_007_000_000),
                two: .init(
                    count: 2, fromMicroseconds: 1_800_000_003_000_000, toMicroseconds: 1_800_000_006_000_000),
            ])
    }

    @Test func `what is recorded after a change of the keys was requested waits for it`() throws {
        var pending = PendingPositions(capacity: 4)
        pending.append(.step(1), of: one)
        pending.expectKeys()
        pending.append(.step(2), of: one)
        pending.expectKeys()
        pending.append(.step(3), of: one)
        #expect(pending.count == 3)
        var batch = PendingPositions.Batch()
        pending.drain(into: &batch)
        #expect(try times(batch) == [1])
        pending.giveBack(&batch, from: 0)
        pending.keysChanged()
        pending.drain(into: &batch)
        #expect(try times(batch) == [1, 2])
        pending.drain(into: &batch)
        #expect(try times(batch) == [])
        pending.keysChanged()
        pending.append(.step(4), of: one)
        pending.drain(into: &batch)
        #expect(try times(batch) == [3, 4] && pending.count == 0 && pending.droppedTotal == 0)
    }

    @Test func `positions that wait for other keys have the room of all, and the oldest is dropped first`() throws {
        var pending = PendingPositions(capacity: 4)
        pending.append(.step(1), of: one)
        pending.expectKeys()
        for number in 2...3 { pending.append(.step(number), of: one) }
        pending.expectKeys()
        for number in 4...7 { pending.append(.step(number), of: two) }
        #expect(pending.count == 4 && pending.droppedTotal == 3)
        #expect(pending.drainDropped()[one]?.count == 3)
        for _ in 0..<2 { pending.keysChanged() }
        var batch = PendingPositions.Batch()
        pending.drain(into: &batch)
        #expect(try times(batch) == [4, 5, 6, 7])
    }

    @Test func `unwritten positions return to the front, as many as there is room for`() throws {
        var pending = PendingPositions(capacity: 4)
        for number in 1...4 { pending.append(.step(number), of: one) }
        var batch = PendingPositions.Batch()
        pending.drain(into: &batch)
        for number in 5...6 { pending.append(.step(number), of: two) }
        // The first was written.
        pending.giveBack(&batch, from: 1)
        #expect(batch.entries.isEmpty)
        #expect(pending.count == 4)
        #expect(pending.drainDropped()[one]?.count == 1)
        pending.drain(into: &batch)
        #expect(try times(batch) == [3, 4, 5, 6])
    }

    @Test(arguments: 1...20)
    func `no position is lost uncounted and none is returned twice`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var pending = PendingPositions(capacity: 16)
        var batch = PendingPositions.Batch()
        var (given, written) = (0, [Int]())
        for _ in 1...500 {
            for _ in 0..<Int.random(in: 0...9, using: &generator) {
                given += 1
                pending.append(.step(given), of: one)
            }
            if Bool.random(using: &generator) { continue }
            pending.drain(into: &batch)
            let numbers = try times(batch)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                given += 1
                pending.append(.step(given), of: one)
            }
            let count = Int.random(in: 0...numbers.count, using: &generator)
            written += numbers[..<count]
            if count < numbers.count || Bool.random(using: &generator) { pending.giveBack(&batch, from: count) }
        }
        #expect(written == Array(Set(written)).sorted())
        #expect(given == written.count + pending.count + Int(pending.droppedTotal))
        let counted = pending.drainDropped().values.reduce(0) { $0 + $1.count }
        #expect(counted == pending.droppedTotal)
    }
}
