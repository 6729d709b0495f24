import Location
import TestSupport
import Testing

@testable import Waking

@Suite struct WakeRecordTests {
    private static let time = UTCTime(microseconds: 1_790_000_000_123_456)

    /// A record whose changes can be expected.
    private final class Stored {
        var record: WakeRecord

        init(_ record: WakeRecord = WakeRecord()) { self.record = record }

        var queue: WakeQueue { record.queue }
        var text: String { record.text }
        func subscribe(_ subscription: WakeSubscription, isUnreachable: Bool) -> Bool {
            record.subscribe(subscription, isUnreachable: isUnreachable)
        }
        func observe(_ subscription: WakeSubscription, isUnreachable: Bool, at time: UTCTime) -> WakeRecord.Observation
        {
            record.observe(subscription, isUnreachable: isUnreachable, at: time)
        }
        func add(_ subscription: WakeSubscription, at time: UTCTime) -> Bool { record.add(subscription, at: time) }
        func acknowledge(upTo number: Int64) -> Bool { record.acknowledge(upTo: number) }
        func eraseEventsOfPlaces() -> Bool { record.eraseEventsOfPlaces() }
    }

    private func record() -> Stored {
        let record = Stored()
        #expect(record.subscribe(.path, isUnreachable: true))
        #expect(record.subscribe(.target(WakeTarget(host: "tracker.example.org", port: 443)), isUnreachable: false))
        #expect(record.subscribe(.visits, isUnreachable: false))
        return record
    }

    @Test func `the return of a path is an event, its loss is none`() {
        let record = record()
        #expect(record.observe(.path, isUnreachable: true, at: Self.time) == .unchanged)
        #expect(record.observe(.path, isUnreachable: false, at: Self.time) == .event)
        #expect(record.observe(.path, isUnreachable: false, at: Self.time) == .unchanged)
        #expect(record.observe(.path, isUnreachable: true, at: Self.time) == .changed)
        #expect(record.observe(.significantChange, isUnreachable: false, at: Self.time) == .unchanged)
        #expect(record.queue.events.map(\.sequence) == [1])
    }

    @Test func `a path that was away before a restart is back after it`() throws {
        let text = record().text
        let record = Stored(try #require(WakeRecord(text: text)))
        #expect(record.observe(.path, isUnreachable: false, at: Self.time) == .event)
    }

    @Test func `events are numbered, and stay until they are acknowledged`() {
        let record = record()
        for _ in 1...3 { #expect(record.add(.visits, at: Self.time)) }
        #expect(record.acknowledge(upTo: 2))
        #expect(record.queue.events.map(\.sequence) == [3])
        #expect(!record.acknowledge(upTo: 4))
        #expect(record.acknowledge(upTo: 1))
        #expect(record.queue.acknowledged == 2)
        #expect(!record.add(.significantChange, at: Self.time))
    }

    @Test func `of too many events the oldest are dropped and counted`() {
        let record = record()
        for _ in 0..<70 { #expect(record.add(.visits, at: Self.time)) }
        #expect(record.queue.events.count == 64)
        #expect(record.queue.lost == 6)
        #expect(record.queue.events.first?.sequence == 7)
        #expect(WakeRecord(text: record.text) == record.record)
    }

    @Test func `an app has at most sixteen hosts`() {
        let record = Stored()
        for number in 0..<16 {
            #expect(record.subscribe(.target(WakeTarget(host: "h\(number)", port: nil)), isUnreachable: false))
        }
        #expect(!record.subscribe(.target(WakeTarget(host: "other", port: nil)), isUnreachable: false))
        #expect(record.subscribe(.target(WakeTarget(host: "h1", port: nil)), isUnreachable: false))
        #expect(record.subscribe(.path, isUnreachable: false))
    }

    @Test func `events about places can be erased alone`() {
        let record = record()
        #expect(record.add(.visits, at: Self.time))
        #expect(record.observe(.path, isUnreachable: false, at: Self.time) == .event)
        #expect(record.eraseEventsOfPlaces())
        #expect(record.queue.events.map(\.subscription) == [.path])
        #expect(!record.eraseEventsOfPlaces())
    }

    @Test(
        arguments: [
            "", "{}", "[]", "{\"fullAt\":1}", "{\"fullAt\":0,\"last\":1,\"acknowledged\":2,\"lastOrder\":0}",
            "{\"fullAt\":0,\"last\":1,\"acknowledged\":0,\"lastOrder\":0,\"events\":[{\"sequence\":2,\"kind\":\"path\",\"time\":1}]}",
            "{\"fullAt\":0,\"last\":1,\"acknowledged\":0,\"lastOrder\":0,\"subscriptions\":[{\"kind\":\"moon\"}]}",
        ])
    func `a text that is no record is none`(text: String) {
        #expect(WakeRecord(text: text) == nil)
    }

    @Test func `a hold of a later release remains a hold`() throws {
        let text =
            "{\"hold\":{\"forcedQuit\":\"banished\",\"at\":5},\"fullAt\":0,\"last\":0,\"acknowledged\":0,\"lastOrder\":0}"
        let record = try #require(WakeRecord(text: text))
        #expect(record.hold == .forcedQuit(.decision, at: UTCTime(microseconds: 5)))
    }

    @Test func `a clock that is set back delays no wake for longer than an empty budget`() {
        let rules = WakeRules()
        var budget = WakeBudget()
        let late = UTCTime(microseconds: Self.time.microseconds + 86_400_000_000)
        for _ in 1...5 { budget.consume(at: late, rules) }
        #expect(budget.left(at: Self.time, rules) == 0)
        let available = budget.availableAt(Self.time, rules)
        #expect(available?.seconds(since: Self.time) == 180)
    }
}
