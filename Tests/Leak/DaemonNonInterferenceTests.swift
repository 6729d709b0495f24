import Cryptography
import Location
import Platform
import TestSupport
import TestTraits
import Testing
import Tracking
import Varlink

@testable import Authorization
@testable import Daemon

/// L1 through the daemon: the receiver of reduced positions with its files, the gate, the filters and the encoding.
@Suite(.computes, .timeLimit(.minutes(15))) struct DaemonNonInterferenceTests {
    init() {
        LoopThread.start()
    }

    private static let minutes = 8 * 20

    private struct Trace {
        var fixes: [(fix: Fix, at: Int64)] = []
        /// Microseconds at which the daemon is started again.
        var restarts: [Int64] = []
    }

    /// The events of each minute are the same in both traces, but everything within the minute differs: the place in
    /// the cell, the second, the number of fixes, and all other members of a fix.
    private func traces(of device: Device, using generator: inout SeededGenerator) throws -> [Trace] {
        var traces = [Trace(), Trace()]
        var place = try Coordinate.random(using: &generator)
        let tunnel = Int.random(in: 20...60, using: &generator)
        for minute in 0..<Self.minutes {
            if minute % 20 == 0 { place = try place.scattered(by: 3_000, using: &generator) }
            // A long tunnel over two ticks, and a minute without sky now and then.
            if (tunnel..<tunnel + 37).contains(minute) || Int.random(in: 0..<5, using: &generator) == 0 { continue }
            for index in traces.indices {
                let count = Int.random(in: 1...4, using: &generator)
                let times = (0..<count).map { _ in Int64.random(in: 0..<60_000_000, using: &generator) }
                for time in times.sorted() {
                    let spot = try device.stranger(to: place, using: &generator)
                    traces[index].fixes.append(
                        (Device.arbitraryFix(at: spot, using: &generator), Int64(minute) * 60_000_000 + time))
                }
            }
        }
        let restarts = [61 * 60_000_000, 118 * 60_000_000] as [Int64]
        for index in traces.indices { traces[index].restarts = restarts }
        return traces
    }

    @Test @DaemonActor
    func `two traces of the same cells and minutes are the same bytes to every client at the same time`()
        async throws
    {
        var generator = SeededGenerator()
        var compared = 0
        for _ in 0..<scaled(40) {
            let first = try TemporaryDirectory()
            let second = try TemporaryDirectory()
            let key = try DeviceKeyFile(stateDirectory: first.path).load().key
            try second.write("device.key", bytes: try BoundedFile.bytes(of: first.file("device.key"), limit: 100))
            let traces = try traces(of: Device(key), using: &generator)
            let one = try await Clients(first.path).seen(traces[0].fixes, restarts: traces[0].restarts)
            let other = try await Clients(second.path).seen(traces[1].fixes, restarts: traces[1].restarts)
            // Compared outside the expectation, which would print all of it.
            let difference = zip(one, other).first { $0 != $1 }
            #expect(difference?.0 == difference?.1, "\(generator)")
            #expect(one.count == other.count, "\(generator)")
            #expect(one.contains { $0.text.contains("\"latitude\"") })
            #expect(one.contains { $0.text.contains("noFix") })
            compared += one.reduce(0) { $0 + $1.text.utf8.count }
        }
        print("L1 through the daemon: \(compared) bytes of replies compared")
    }
}

/// Clients with reduced accuracy as the daemon serves them: streams with filters, and calls that wait.
@DaemonActor
private final class Clients {
    /// The received messages, with their times.
    struct Reply: Equatable {
        var at: Int64
        var text: String
    }

    private struct Query {
        var number: Int
        var deadline: Int64
    }

    private static let start: UInt64 = 1 << 60
    private static let noon: Int64 = 1_795_262_400_000_000
    private static let end: Int64 = 3 * 3_600_000_000
    private let directory: String
    private let clock: ManualClock
    private let decision = Decision(.reduced, [])
    private var receiver: ReducedReceiver?
    private var replies: [Reply] = []
    private var waiting: [Query] = []
    private var streams = [
        Subscription(), Subscription(desiredAccuracy: 5), Subscription(distanceFilter: 8_000),
        Subscription(interval: 2_400),
    ]
    private var wantsFixes: Int { source.needs }
    private var source = Source()

    private final class Source: FixSource {
        var needs = 0
        var hopeless: PositionUnavailable? { nil }
        func need() { needs += 1 }
        func release() { needs -= 1 }
    }

    init(_ directory: String) {
        self.directory = directory
        clock = ManualClock(monotonicNanoseconds: Self.start, utcMicroseconds: Self.noon)
    }

    /// Microseconds since the start.
    private var elapsed: Int64 { Int64(clock.monotonicNanoseconds - Self.start) / 1_000 }

    /// Everything that clients get while these fixes come in.
    func seen(_ fixes: [(fix: Fix, at: Int64)], restarts: [Int64]) async throws -> [Reply] {
        try await begin()
        var fixes = fixes[...]
        var restarts = restarts[...]
        var asked = 0
        while elapsed < Self.end {
            let ask = 13_000_000 + 37_000_000 * Int64(asked)
            let timer = receiver?.timerDeadline.map { Int64($0 - Self.start) / 1_000 }
            let timeout = waiting.map(\.deadline).min()
            let next =
                [fixes.first?.at, restarts.first, ask, timer, timeout, Self.end].compactMap { $0 }.min() ?? Self.end
            advance(to: next)
            switch next {
            case timer:
                receiver?.timerFired()
                let isDone = try await eventually { () async throws -> Bool in receiver?.isSaving == false }
                try #require(isDone)
            case fixes.first?.at: if let fix = fixes.popFirst()?.fix { receiver?.receive(fix) }
            case restarts.first:
                restarts.removeFirst()
                receiver?.stop()
                try await begin()
            case timeout: timeOut()
            default:
                if next == ask { query(asked) }
                asked += 1
            }
        }
        receiver?.stop()
        return replies
    }

    private func advance(to next: Int64) {
        if next > elapsed { clock.advance(microseconds: UInt32(next - elapsed)) }
    }

    private func begin() async throws {
        source = Source()
        let receiver = try ReducedReceiver(
            directory: directory, changes: Changes { [weak self] in self?.react(to: $0) }, clock: clock,
            source: source)
        self.receiver = receiver
        receiver.need()
        receiver.open()
        let isDone = try await eventually { () async throws -> Bool in wantsFixes == 1 || receiver.timerDeadline != nil
        }
        try #require(isDone)
    }

    private func react(to change: Change) {
        if case .reducedFix(let reduced) = change { deliver(reduced) }
    }

    private func note(_ client: String, _ text: String) {
        // To the microsecond, as a client could measure it.
        replies.append(Reply(at: elapsed, text: "\(client): \(text)"))
    }

    private func bytes(_ reduced: ReducedFix) -> String {
        guard let disclosure = decision.view(of: reduced) else { return "refused" }
        let reply = EncodedReply(continues: true) { writer in
            writer.key("position")
            disclosure.write(to: &writer)
        }
        return String(decoding: reply.bytes, as: UTF8.self)
    }

    private func deliver(_ reduced: ReducedFix) {
        for index in streams.indices {
            let verdict = streams[index].decide(reduced)
            if verdict == .deliver { note("stream \(index)", bytes(reduced)) }
        }
        for query in waiting { note("query \(query.number)", bytes(reduced)) }
        waiting = []
    }

    private func query(_ number: Int) {
        guard let receiver else { return }
        switch receiver.answer(maximumAge: [0, 10, 1_300, 86_400][number % 4]) {
        case .now(let reduced): note("query \(number)", bytes(reduced))
        case .wait:
            waiting.append(
                Query(number: number, deadline: elapsed + 30_000_000 + Int64(ReducedReceiver.showingDelay * 1e6)))
        case .never(let reason): note("query \(number)", "\(reason.rawValue) \(reason.message)")
        }
        note("query \(number)", "unavailable: \(receiver.unavailable?.rawValue ?? "no")")
    }

    private func timeOut() {
        let now = elapsed
        for query in waiting where query.deadline <= now {
            note("query \(query.number)", "\(PositionUnavailable.noFix.rawValue) \(PositionUnavailable.noFix.message)")
        }
        waiting.removeAll { $0.deadline <= now }
    }
}
