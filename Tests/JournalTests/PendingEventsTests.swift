import Platform
import TestSupport
import Testing

@testable import Journal

struct PendingEventsTests {
    let clock = ManualClock(utcSeconds: 1_800_000_000)

    func pending(capacity: Int = 4, _ mode: PendingEvents.Mode = .running) -> PendingEvents {
        var pending = PendingEvents(capacity: capacity)
        pending.mode = mode
        return pending
    }

    func entry(_ number: Int, isAwaited: Bool = false) -> PendingEvents.Entry {
        let completion: PendingEvents.Completion = { _ in }
        return PendingEvents.Entry([.remark(number)], at: .init(clock), completion: isAwaited ? completion : nil)
    }

    func numbers(_ entries: [PendingEvents.Entry]) -> [String] { entries.flatMap(\.events).map(\.details) }

    @Test func `the commit is requested once however many events are urgent`() {
        var pending = pending()
        #expect(pending.append(entry(1), isUrgent: true).name == "commit")
        #expect(pending.append(entry(2), isUrgent: true).name == "nothing")
        #expect(pending.append(entry(3), isUrgent: false).name == "nothing")
        _ = pending.drain(notices: [], at: .init(clock))
        #expect(pending.append(entry(4), isUrgent: false).name == "commitLater")
        #expect(pending.append(entry(5), isUrgent: true).name == "commit")
    }

    @Test(arguments: [PendingEvents.Mode.opening, .blocked])
    func `events appended during the first commit are committed after it`(mode: PendingEvents.Mode) {
        var pending = pending(mode)
        #expect(pending.append(entry(1), isUrgent: false).name == "nothing")
        _ = pending.drain(notices: [], at: .init(clock))
        #expect(pending.append(entry(2), isUrgent: false).name == "nothing")
        #expect(pending.committed().name == "commit")
        #expect(pending.drain(notices: [], at: .init(clock)).entries.count == 1)
        #expect(pending.committed().name == "nothing")
    }

    @Test func `a full queue drops the oldest event without a completion and reports it last`() {
        var pending = pending(capacity: 3, .blocked)
        _ = pending.append(entry(1, isAwaited: true), isUrgent: true)
        for number in 2...5 {
            clock.advance(seconds: 1)
            _ = pending.append(entry(number), isUrgent: false)
        }
        #expect(pending.droppedTotal == 2)
        clock.advance(seconds: 1)
        let batch = pending.drain(notices: [], at: .init(clock))
        #expect(
            numbers(batch.entries) == [
                #"{"number":1}"#, #"{"number":4}"#, #"{"number":5}"#,
                #"{"reason":"overflow","count":2,"from":"2027-01-15T08:00:01.000000Z","to":"2027-01-15T08:00:02.000000Z"}"#,
            ])
        #expect(batch.entries.map(\.timeMicroseconds) == batch.entries.map(\.timeMicroseconds).sorted())
    }

    @Test func `while a batch is being committed the newest events are not dropped`() {
        var pending = pending(capacity: 3, .blocked)
        for number in 1...3 { _ = pending.append(entry(number), isUrgent: false) }
        let batch = pending.drain(notices: [], at: .init(clock))
        for number in 4...5 { _ = pending.append(entry(number), isUrgent: false) }
        #expect(pending.droppedTotal == 0)
        pending.giveBack(batch)
        #expect(pending.droppedTotal == 2)
        let next = pending.drain(notices: [], at: .init(clock))
        #expect(Array(numbers(next.entries).prefix(3)) == [3, 4, 5].map { "{\"number\":\($0)}" })
    }

    @Test func `a queue of awaited events refuses the next one`() {
        var pending = pending(capacity: 2)
        for number in 1...2 { _ = pending.append(entry(number, isAwaited: true), isUrgent: true) }
        #expect(pending.append(entry(3), isUrgent: true).name == "refuse")
        #expect(pending.count == 2)
    }

    @Test func `a failed batch returns to the front with its dropped count and without awaited events`() {
        var pending = pending(capacity: 3)
        _ = pending.append(entry(1), isUrgent: false)
        _ = pending.append(entry(2, isAwaited: true), isUrgent: true)
        _ = pending.append(entry(3), isUrgent: false)
        _ = pending.append(entry(4), isUrgent: false)
        let batch = pending.drain(notices: [Event(.journalFull)], at: .init(clock))
        #expect(batch.notices == 2)
        pending.giveBack(batch)
        #expect(pending.refuseAwaited().count == 1)
        pending.mode = .blocked
        _ = pending.append(entry(5), isUrgent: false)
        let next = pending.drain(notices: [], at: .init(clock))
        #expect(numbers(next.entries).prefix(3) == [#"{"number":3}"#, #"{"number":4}"#, #"{"number":5}"#])
        #expect(next.dropped?.count == 1)
        #expect(pending.droppedTotal == 1)
    }

    func changing(_ number: Int, bytes: Int = 0) -> PendingEvents.Entry {
        PendingEvents.Entry(
            [.remark(number), .remark(-number)],
            changes: [.value("name", String(repeating: "x", count: bytes))], at: .init(clock), completion: { _ in })
    }

    @Test func `changes neither displace events nor are dropped for them`() {
        var pending = pending(capacity: 2, .blocked)
        for number in 1...5 {
            _ = pending.append(changing(number), isUrgent: true)
            _ = pending.append(entry(number), isUrgent: false)
        }
        let batch = pending.drain(notices: [], at: .init(clock))
        #expect(batch.entries.filter { !$0.changes.isEmpty }.map(\.events.count) == [2, 2, 2, 2, 2])
        #expect(pending.droppedTotal == 4)
    }

    @Test func `changes over the limit are refused until pending ones are written`() {
        var pending = pending()
        let half = JournalOptions.largestChangesBytes / 2
        #expect(pending.append(changing(1, bytes: half), isUrgent: true).name == "commit")
        #expect(pending.append(changing(2, bytes: half), isUrgent: true).name == "refuse")
        var batch = pending.drain(notices: [], at: .init(clock))
        #expect(pending.append(changing(3, bytes: half), isUrgent: true).name == "commit")
        pending.giveBack(batch)
        #expect(pending.append(changing(4), isUrgent: true).name == "refuse")
        #expect(pending.refuseAwaited().count == 2)
        #expect(pending.append(changing(5, bytes: half), isUrgent: true).name == "commit")
        batch = pending.drain(notices: [], at: .init(clock))
        #expect(batch.entries.map(\.events.first?.details) == ["{\"number\":5}"])
    }

    @Test func `a pause doubles up to the longest`() {
        var backoff = DoublingPause(first: .seconds(1), longest: .seconds(60))
        #expect((1...8).map { _ in backoff.next() } == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    }

    @Test(arguments: [
        ("plain", #""plain""#), ("a\"b\\c", #""a\"b\\c""#), ("line\nfeed\ttab\r", #""line\nfeed\ttab\r""#),
        ("\u{0}\u{1f}\u{7f}", #""\u0000\u001f\u007f""#), ("Zürich 📍", #""Zürich 📍""#),
    ])
    func `text of an event becomes a JSON string`(text: String, json: String) {
        let details: EventDetails = ["text": .text(text), "missing": .real(.nan), "count": 5, "half": 0.5]
        #expect(details.json == #"{"text":\#(json),"missing":null,"count":5,"half":0.5}"#)
    }
}

extension PendingEvents.Effect {
    var name: String {
        switch self {
        case .nothing: "nothing"
        case .commit: "commit"
        case .commitLater: "commitLater"
        case .refuse: "refuse"
        }
    }
}
