import Authorization
import Containers
import Location
import TestSupport
import Testing

@testable import Waking

@Suite struct PushEventTests {
    private static let time = UTCTime(microseconds: 1_790_000_000_123_456)
    private static let notes = SyncedContainer("org.example.notes", .production)
    private static let drafts = SyncedContainer("org.example.notes", .development)

    private func numbers(_ record: WakeRecord) -> [Int64] { record.queue.events.map(\.sequence) }

    @Test func `a push that is reported twice is one event, and containers have events of their own`() {
        var record = WakeRecord()
        record.push(Self.notes, at: Self.time)
        record.push(Self.notes, at: Self.time)
        #expect(numbers(record) == [2])
        record.push(Self.drafts, at: Self.time)
        #expect(record.queue.events.map(\.subscription) == [.push(Self.notes), .push(Self.drafts)])
        #expect(record.queue.events.allSatisfy { $0.subscription.cause == .push })
    }

    @Test func `changes that come after the app has read an event are not acknowledged with it`() {
        var record = WakeRecord()
        record.push(Self.notes, at: Self.time)
        let read = numbers(record)
        record.push(Self.notes, at: Self.time)
        let isAcknowledged = record.acknowledge(upTo: 1)
        #expect(read == [1] && isAcknowledged && numbers(record) == [2])
        _ = record.acknowledge(upTo: 2)
        #expect(numbers(record) == [])
    }

    @Test func `pushes are stored with their container`() throws {
        var record = WakeRecord()
        record.push(Self.drafts, at: Self.time)
        _ = record.subscribe(.path, isUnreachable: false)
        _ = record.add(.path, at: Self.time)
        record.push(Self.notes, at: Self.time)
        #expect(WakeRecord(text: record.text) == record)
        for part in [#""container":"org.example.notes","#, #","environment":"production""#] {
            let text = record.text.replacing(part, with: "")
            #expect(text != record.text && WakeRecord(text: text) == nil, "\(text)")
        }
    }

    @Test func `an event has the subscriptions that have fired since the last acknowledged one, the latest 16`() throws
    {
        func fired(_ numbers: Range<Int>, _ database: DatabaseScope = .public) throws
            -> [FiredSubscription]
        {
            try numbers.map { number in try #require(FiredSubscription(database, "s\(number)")) }
        }
        var record = WakeRecord()
        record.push(Self.notes, fired: try fired(0..<2), at: Self.time)
        record.push(Self.notes, at: Self.time)
        record.push(Self.drafts, fired: try fired(7..<8), at: Self.time)
        let two = try fired(0..<2)
        #expect(record.queue.events.first?.fired == two)
        // Each once, by its database and name, and the latest last.
        record.push(Self.notes, fired: try fired(2..<3) + fired(0..<1) + fired(1..<2, .private), at: Self.time)
        let joined = try fired(1..<3) + fired(0..<1) + fired(1..<2, .private)
        #expect(record.queue.events.last?.fired == joined)
        record.push(Self.notes, fired: try fired(10..<25), at: Self.time)
        let latest = try fired(1..<2, .private) + fired(10..<25)
        #expect(record.queue.events.last?.fired == latest && latest.count == FiredSubscription.most)
        #expect(WakeRecord(text: record.text) == record)
        // What a later release has stored is left out.
        let strange = record.text.replacing(#""database":"private""#, with: #""database":"universal""#)
        #expect(
            strange != record.text && WakeRecord(text: strange)?.queue.events.last?.fired == Array(latest.dropFirst()))
        _ = record.acknowledge(upTo: record.queue.last)
        record.push(Self.notes, at: Self.time)
        #expect(record.queue.events.map(\.fired) == [[]])
        for name in ["", "a b", String(repeating: "a", count: 256), "\u{7}"] {
            #expect(FiredSubscription(.shared, name) == nil)
        }
    }

    @Test func `of too many events a push is dropped last`() {
        var record = WakeRecord()
        _ = record.subscribe(.path, isUnreachable: false)
        record.push(Self.notes, at: Self.time)
        for _ in 0..<70 { _ = record.add(.path, at: Self.time) }
        #expect(record.queue.events.count == WakeQueue.most && record.queue.lost == 7)
        #expect(record.queue.events.first?.subscription == .push(Self.notes))
        #expect(WakeRecord(text: record.text) == record)
        for number in 0..<70 { record.push(SyncedContainer("c\(number)", .production), at: Self.time) }
        #expect(record.queue.events.count == WakeQueue.most)
        #expect(record.queue.events.last?.subscription == .push(SyncedContainer("c69", .production)))
    }

    @Test func `a push wakes an app that is authorized for nothing else`() {
        let scene = WakeScene()
        scene.situation.permitted = [.push]
        #expect(scene.pend([.regions, .path]) == [])
        #expect(scene.refusal == .notAuthorized)
        #expect(scene.pend([.regions, .path, .push]) == [1])
        #expect(scene.machine.record.attempt?.cause == .push)
        scene.attach()
        #expect(scene.machine.record.launch?.cause == .push)
    }
}
