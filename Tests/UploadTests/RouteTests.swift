import Location
import Testing

@testable import Upload

/// How an uploader responds to changes of the network path to its destination, and to the costs of the path.
@Suite struct RouteTests {
    @Test func `nothing is sent before the path was reported, and then at once`() {
        var bench = Bench(positions: 2, isReachable: false)
        #expect(bench.state == .waitingForPath(nil))
        #expect(bench.sent.isEmpty)
        bench.notify(Samples.target(.requiresConnection, .noAddress))
        #expect(bench.state == .waitingForPath(.noAddress))
        bench.notify(Samples.target(.reachable, generation: 2))
        #expect(bench.open.count == 1)
    }

    @Test func `while the name is looked up nothing is sent where the cost of the path decides`() {
        var configuration = Samples.configuration(.overland)
        configuration.queue.expensive = .defer
        var bench = Bench(configuration, positions: 2, isReachable: false)
        bench.notify(Samples.target(.unknown, .resolving))
        #expect(bench.state == .waitingForPath(.resolving))
        #expect(bench.sent.isEmpty)
        bench.notify(Samples.target(.reachable, expensive: true))
        guard case .deferred(.expensive, _) = bench.state else {
            Issue.record("\(bench.state)")
            return
        }
        #expect(bench.sent.isEmpty)
        // Where every path may be used, a name server that does not reply is no reason to wait.
        (configuration.queue.expensive, configuration.queue.constrained) = (.send, .send)
        var other = Bench(configuration, positions: 2, isReachable: false)
        other.notify(Samples.target(.unknown, .resolving))
        #expect(other.open.count == 1)
    }

    @Test func `a lost path cancels within the event, and a restored path resumes at once whatever the wait was`()
        throws
    {
        var bench = Bench(positions: 5, random: 0.99)
        for _ in 0..<12 {
            try bench.fail(.connect)
            bench.wait()
        }
        try bench.fail(.connect)
        guard case .backingOff(_, 13, .connect) = bench.state else {
            Issue.record("\(bench.state)")
            return
        }
        bench.notify(Samples.target(.unreachable, .noCarrier, generation: 2))
        #expect(bench.state == .waitingForPath(.noCarrier))
        #expect(bench.timer == nil)
        bench.notify(Samples.target(.reachable, generation: 3))
        #expect(bench.open.count == 1)
        let first = try #require(bench.open.first)
        bench.notify(Samples.target(.unreachable, .noRoute, generation: 4))
        #expect(bench.open.isEmpty)
        #expect(bench.effects.contains(.cancel(first.id)))
        bench.notify(Samples.target(.reachable, generation: 5))
        #expect(bench.open.first?.idempotencyKey == first.idempotencyKey)
        try bench.fail(.connect)
        guard case .backingOff(_, 1, .connect) = bench.state else {
            Issue.record("the count of attempts was not reset: \(bench.state)")
            return
        }
    }

    @Test func `another interface means another connection, and so does an unnoticed interruption`() throws {
        var bench = Bench(positions: 1)
        bench.notify(Samples.target(.reachable, generation: 2, index: 3))
        #expect(bench.sent.count == 2)
        #expect(bench.open.count == 1)
        bench.notify(Samples.target(.reachable, generation: 4, index: 3))
        #expect(bench.sent.count == 3)
        bench.notify(Samples.target(.reachable, generation: 5, index: 3))
        #expect(bench.sent.count == 3)
        // A path change caused by the uploader's own outcome reports is no new information to it.
        try bench.fail(.timedOut)
        var suspect = Samples.target(.reachable, generation: 6, index: 3)
        suspect.isSuspect = true
        bench.notify(suspect)
        #expect(bench.open.isEmpty)
    }

    @Test func `a name that does not exist is tried like any other failing destination`() throws {
        var bench = Bench(positions: 1, isReachable: false)
        bench.notify(Samples.target(.unreachable, .nameNotFound))
        try bench.fail(.nameLookup)
        #expect(bench.timer != nil)
        bench.pass(.seconds(300))
        #expect(bench.open.count == 1)
        bench.notify(Samples.target(.unreachable, .nameNotFound, generation: 3))
        #expect(bench.open.count == 1)
    }

    @Test func `without path reports the destination is tried`() {
        var bench = Bench(positions: 1, isReachable: false)
        bench.act { $0.pathUnavailable(at: $1) }
        #expect(bench.open.count == 1)
    }

    @Test func `an expensive path is not used until the oldest position has waited long enough, and then for all`()
        throws
    {
        var configuration = Samples.configuration(.overland)
        configuration.queue.expensive = .defer
        configuration.queue.deferAtMost = .seconds(3_600)
        var bench = Bench(configuration, positions: 3, isReachable: false)
        bench.notify(Samples.target(.reachable, expensive: true))
        // The clock is at 1,000 s after the start of the recording; the first position is of its second 1.
        guard case .deferred(.expensive, let until) = bench.state else {
            Issue.record("\(bench.state)")
            return
        }
        #expect(until - bench.now.monotonicNanoseconds == 2_601_000_000_000)
        bench.pass(.seconds(2_600))
        #expect(bench.sent.isEmpty)
        bench.record(1)
        bench.pass(.seconds(1))
        try bench.serve()
        #expect(bench.cursor == 4)
        bench.record(1)
        #expect(bench.cursor == 4)
        bench.notify(Samples.target(.reachable, generation: 2))
        try bench.serve()
        #expect(bench.cursor == 5)
    }

    @Test func `a position from the future or from long ago waits no longer than the limit`() throws {
        var configuration = Samples.configuration(.overland)
        configuration.queue.expensive = .defer
        var uploader = Uploader(configuration, random: { 0.5 })
        let now = Instant(monotonicNanoseconds: 5, utc: UTCTime(microseconds: Samples.begin))
        let opening = uploader.recordingOpened(Samples.recording, cursor: 0, last: 1, at: now)
        _ = uploader.pathReported(Samples.target(.reachable, expensive: true), at: now)
        let request = try #require(opening.reads.first)
        _ = uploader.read(RecordedPage([Samples.position(1, seconds: 9e12)], last: 1), for: request, at: now)
        #expect(uploader.report.state == .deferred(.expensive, until: 3_600_000_000_005))
    }
}
