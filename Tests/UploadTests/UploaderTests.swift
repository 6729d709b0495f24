import Location
import Testing

@testable import Upload

/// What an uploader does in one situation after the other.
@Suite struct UploaderTests {
    @Test func `positions are sent as they come, and nothing is armed while nothing waits`() throws {
        var bench = Bench()
        #expect(bench.state == .idle)
        #expect(bench.timer == nil)
        bench.record()
        #expect(bench.sent.map { $0.positions.map(\.sequence) } == [[1]])
        #expect(bench.timer != nil)
        bench.record(3)
        try bench.serve()
        #expect(bench.sent.map { $0.positions.map(\.sequence) } == [[1], [2, 3, 4]])
        #expect(bench.cursor == 4)
        #expect(bench.state == .idle)
        #expect(bench.timer == nil)
    }

    @Test func `nothing is sent before the way was told, and then at once`() {
        var bench = Bench(positions: 2, isReachable: false)
        #expect(bench.state == .waitingForPath(nil))
        #expect(bench.sent.isEmpty)
        bench.tell(Samples.target(.requiresConnection, .noAddress))
        #expect(bench.state == .waitingForPath(.noAddress))
        bench.tell(Samples.target(.reachable, generation: 2))
        #expect(bench.open.count == 1)
    }

    @Test func `a lost way cancels within the event, and a way that is back resumes at once whatever was waited for`()
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
        bench.tell(Samples.target(.unreachable, .noCarrier, generation: 2))
        #expect(bench.state == .waitingForPath(.noCarrier))
        #expect(bench.timer == nil)
        bench.tell(Samples.target(.reachable, generation: 3))
        #expect(bench.open.count == 1)
        let first = try #require(bench.open.first)
        bench.tell(Samples.target(.unreachable, .noRoute, generation: 4))
        #expect(bench.open.isEmpty)
        #expect(bench.effects.contains(.cancel(first.id)))
        bench.tell(Samples.target(.reachable, generation: 5))
        #expect(bench.open.first?.idempotencyKey == first.idempotencyKey)
        try bench.fail(.connect)
        guard case .backingOff(_, 1, .connect) = bench.state else {
            Issue.record("the attempts are counted on: \(bench.state)")
            return
        }
    }

    @Test func `another interface means another connection, and so does an interruption that nobody saw`() throws {
        var bench = Bench(positions: 1)
        bench.tell(Samples.target(.reachable, generation: 2, index: 3))
        #expect(bench.sent.count == 2)
        #expect(bench.open.count == 1)
        bench.tell(Samples.target(.reachable, generation: 4, index: 3))
        #expect(bench.sent.count == 3)
        bench.tell(Samples.target(.reachable, generation: 5, index: 3))
        #expect(bench.sent.count == 3)
        // What its own reports make of the destination is no news to it.
        try bench.fail(.timedOut)
        var suspect = Samples.target(.reachable, generation: 6, index: 3)
        suspect.isSuspect = true
        bench.tell(suspect)
        #expect(bench.open.isEmpty)
    }

    @Test func `a name that does not exist is tried like any other destination that fails`() throws {
        var bench = Bench(positions: 1, isReachable: false)
        bench.tell(Samples.target(.unreachable, .nameNotFound))
        try bench.fail(.nameLookup)
        #expect(bench.timer != nil)
        bench.pass(.seconds(300))
        #expect(bench.open.count == 1)
        bench.tell(Samples.target(.unreachable, .nameNotFound, generation: 3))
        #expect(bench.open.count == 1)
    }

    @Test func `without anybody who tells about the way it is tried`() {
        var bench = Bench(positions: 1, isReachable: false)
        bench.act { $0.pathUnavailable(at: $1) }
        #expect(bench.open.count == 1)
    }

    @Test func `an expensive way is left alone until the oldest position has waited long enough, and then all is sent`()
        throws
    {
        var configuration = Samples.configuration(.overland)
        configuration.queue.expensive = .defer
        configuration.queue.deferAtMost = .seconds(3_600)
        var bench = Bench(configuration, positions: 3, isReachable: false)
        bench.tell(Samples.target(.reachable, expensive: true))
        // The clock says 1,000 s after the recording began; the first position is of its second 1.
        guard case .deferred(.expensive, let until) = bench.state else {
            Issue.record("\(bench.state)")
            return
        }
        #expect(until - bench.now.monotonic == 2_601_000_000_000)
        bench.pass(.seconds(2_600))
        #expect(bench.sent.isEmpty)
        bench.record(1)
        bench.pass(.seconds(1))
        try bench.serve()
        #expect(bench.cursor == 4)
        bench.record(1)
        #expect(bench.cursor == 4)
        bench.tell(Samples.target(.reachable, generation: 2))
        try bench.serve()
        #expect(bench.cursor == 5)
    }

    @Test func `a position from the future or from long ago waits no longer than it may`() {
        var configuration = Samples.configuration(.overland)
        configuration.queue.expensive = .defer
        var uploader = Uploader(configuration, random: { 0.5 })
        let now = UploadTime(monotonic: 5, utc: UTCTime(microseconds: Samples.begin))
        var effects = uploader.recordingOpened(Samples.recording, cursor: 0, last: 1, at: now)
        effects += uploader.pathTold(Samples.target(.reachable, expensive: true), at: now)
        let request = ReadRequest(after: 0, limit: 64, waits: false)
        effects = uploader.read(
            RecordedPage([Samples.position(1, seconds: 9e12)], last: 1), for: request, at: now)
        #expect(uploader.report.state == .deferred(.expensive, until: 3_600_000_000_005))
    }

    @Test func `an operator pauses, resumes and flushes`() throws {
        var configuration = Samples.configuration(.overland)
        configuration.queue.expensive = .defer
        var bench = Bench(configuration, positions: 2)
        bench.act { $0.pause(at: $1) }
        #expect(bench.state == .paused)
        // What is under way may end.
        try bench.answer(Samples.ok)
        #expect(bench.cursor == 2)
        bench.record()
        #expect(bench.open.isEmpty)
        bench.act { $0.flush(at: $1) }
        #expect(bench.open.isEmpty)
        bench.act { $0.resume(at: $1) }
        #expect(bench.open.count == 1)
        try bench.answer(HTTPAnswer(status: 403))
        #expect(bench.state == .blocked(.unauthorized(status: 403), until: bench.now.monotonic + 900_000_000_000))
        bench.act { $0.flush(at: $1) }
        try bench.serve()
        bench.tell(Samples.target(.reachable, generation: 2, expensive: true))
        bench.record(2)
        #expect(bench.open.isEmpty)
        bench.act { $0.flush(at: $1) }
        try bench.serve()
        #expect(bench.cursor == 5)
        bench.record()
        #expect(bench.open.isEmpty)
    }

    @Test(arguments: [401, 403, 407])
    func `a credential that is not accepted blocks for a quarter of an hour, and drops nothing`(_ status: Int) throws {
        var bench = Bench(positions: 3)
        try bench.answer(HTTPAnswer(status: status))
        bench.pass(.seconds(899))
        #expect(bench.open.isEmpty)
        bench.pass(.seconds(1))
        try bench.answer(HTTPAnswer(status: status))
        var other = Samples.configuration(.overland)
        other.credential.kind = .bearer
        other.credential.name = "token"
        bench.act { $0.configure(other, at: $1) }
        try bench.answer(HTTPAnswer(status: status))
        bench.tell(Samples.target(.reachable, generation: 2, index: 5))
        try bench.serve()
        #expect(bench.cursor == 3)
        #expect(bench.deadLetters.isEmpty)
    }

    @Test func `other credentials, or the same configuration once more, are tried at once`() throws {
        for isRenewed in [false, true] {
            var bench = Bench(positions: 3)
            try bench.answer(HTTPAnswer(status: 401))
            bench.act { $0.configure(Samples.configuration(.overland), isRenewed: isRenewed, at: $1) }
            #expect(bench.open.count == 1)
            bench.act { $0.configure(Samples.configuration(.overland), isRenewed: isRenewed, at: $1) }
            // Only who is somebody else now gives up what the one before has begun.
            #expect(bench.sent.count == (isRenewed ? 3 : 2))
            try bench.serve()
            #expect(bench.cursor == 3)
        }
    }

    @Test func `an uploader that lacks something sends nothing until it has it`() throws {
        var bench = Bench(positions: 3)
        bench.act { $0.configure(Samples.configuration(.overland), isComplete: false, at: $1) }
        #expect(bench.open.isEmpty && bench.state == .blocked(.notConfigured, until: .max))
        bench.act { $0.configure(Samples.configuration(.overland), at: $1) }
        try bench.serve()
        #expect(bench.cursor == 3)
        let uploader = Uploader(Samples.configuration(.overland), isComplete: false)
        #expect(!uploader.isConfigured)
    }

    @Test func `whoever has slept tries again at once, and reckons anew how long a position has waited`() throws {
        var bench = Bench(positions: 3)
        try bench.fail(.connect)
        #expect(bench.open.isEmpty)
        bench.act { $0.clockChanged(hasSlept: false, at: $1) }
        #expect(bench.open.isEmpty)
        bench.act { $0.clockChanged(hasSlept: true, at: $1) }
        #expect(bench.open.count == 1)

        var waiting = Bench(positions: 3, isReachable: false)
        waiting.tell(Samples.target(.reachable, constrained: true))
        guard case .deferred = waiting.state else {
            Issue.record("\(waiting.state)")
            return
        }
        waiting.sleep(.seconds(7_200))
        #expect(waiting.open.isEmpty)
        waiting.act { $0.clockChanged(hasSlept: true, at: $1) }
        #expect(waiting.open.count == 1)
    }

    @Test func `a device that the destination does not know blocks`() throws {
        for status in [400, 404] {
            var bench = Bench(Samples.configuration(.osmand), positions: 1)
            try bench.answer(HTTPAnswer(status: status))
            #expect(
                bench.state == .blocked(.unknownDevice(status: status), until: bench.now.monotonic + 900_000_000_000))
        }
    }

    @Test func `batches grow while answers are quick, and are halved where they do not come or are too much`() throws {
        var bench = Bench(Samples.configuration(.geojson), positions: 2_000)
        #expect(bench.open.first?.lane == .current)
        try bench.answer(Samples.ok)
        var sizes: [Int] = []
        for _ in 0..<5 {
            sizes.append(bench.open.first?.positions.count ?? 0)
            try bench.answer(Samples.ok)
        }
        #expect(sizes == [16, 32, 64, 128, 200])
        bench.pass(.seconds(60))
        bench.pass(.seconds(1))
        #expect(bench.open.first?.lane == .current)
        try bench.answer(Samples.ok)
        #expect(bench.open.first?.positions.count == 100)
        try bench.answer(HTTPAnswer(status: 413))
        #expect(bench.open.first?.positions.count == 50)
        try bench.serve()
        #expect(bench.cursor == 2_000)
        #expect(bench.sent.suffix(10).allSatisfy { $0.positions.count <= 50 })
    }

    @Test func `slow answers do not make batches grow`() throws {
        var bench = Bench(Samples.configuration(.geojson), positions: 100)
        try bench.answer(Samples.ok)
        bench.pass(.seconds(3))
        try bench.answer(Samples.ok)
        #expect(bench.open.first?.positions.count == 16)
    }

    @Test func `a position that is too much alone is a dead letter`() throws {
        var bench = Bench(Samples.configuration(.geojson), positions: 2)
        try bench.serve { $0.positions.contains { $0.sequence == 2 } ? HTTPAnswer(status: 413) : Samples.ok }
        #expect(bench.deadLetters.keys.sorted() == [2])
        #expect(bench.cursor == 2)
    }

    @Test func `where one position after the other is rejected, a newer one shows whether it is about them`() throws {
        var bench = Bench(Samples.configuration(.geojson), positions: 300)
        try bench.serve { $0.positions.contains { $0.sequence <= 50 } ? HTTPAnswer(status: 400) : Samples.ok }
        #expect(bench.deadLetters.keys.sorted() == Array(1...50))
        #expect(bench.cursor == 300)

        bench = Bench(Samples.configuration(.geojson), positions: 300)
        try bench.serve { _ in HTTPAnswer(status: 400) }
        #expect(bench.state == .blocked(.everythingRejected(status: 400), until: bench.now.monotonic + 900_000_000_000))
        #expect(bench.deadLetters.count == Uploader.rejectionsUntilDoubt)
        bench.pass(.seconds(900))
        try bench.serve { _ in HTTPAnswer(status: 400) }
        #expect(bench.deadLetters.count == Uploader.rejectionsUntilDoubt)
        bench.pass(.seconds(900))
        try bench.serve()
        #expect(bench.cursor == 300)
        bench.act { $0.retryRejected(at: $1) }
        try bench.serve()
        #expect(bench.deadLetters.isEmpty)
        let sent = Set(bench.sent.filter { $0.lane == .rejected }.flatMap(\.positions).map(\.sequence))
        #expect(sent.count == Uploader.rejectionsUntilDoubt)
    }

    @Test func `dead letters that are rejected once more stay`() throws {
        var bench = Bench(Samples.configuration(.geojson), positions: 40)
        let judge: (Transfer) -> HTTPAnswer = {
            $0.positions.contains { $0.sequence.isMultiple(of: 10) } ? HTTPAnswer(status: 422) : Samples.ok
        }
        try bench.serve(judge)
        bench.act { $0.retryRejected(at: $1) }
        try bench.fail(.connect)
        bench.pass(.seconds(10))
        try bench.serve { $0.positions.contains { $0.sequence == 20 } ? HTTPAnswer(status: 422) : Samples.ok }
        #expect(bench.deadLetters.keys.sorted() == [20])
        #expect(bench.state == .idle)
    }

    @Test func `an answer that nobody waits for changes nothing`() throws {
        var bench = Bench(positions: 2)
        let first = try #require(bench.open.first)
        bench.tell(Samples.target(.unreachable, .noRoute, generation: 2))
        bench.act { $0.answered(first.id, with: Samples.ok, at: $1) }
        #expect(bench.cursor == 0)
        #expect(bench.uploader.report.late == 1)
        bench.tell(Samples.target(.reachable, generation: 3))
        try bench.answer(Samples.ok)
        bench.act { $0.answered(first.id, with: Samples.ok, at: $1) }
        #expect(bench.cursor == 2)
        #expect(bench.uploader.report.sent == 2)
    }

    @Test func `the newest is sent first and the cursor follows from below, where that is the order`() throws {
        var configuration = Samples.configuration(.geojson)
        configuration.queue.order = .newest
        var bench = Bench(configuration, positions: 1_000)
        #expect(bench.open.first?.positions.last?.sequence == 1_000)
        try bench.answer(Samples.ok)
        #expect(bench.cursor == 0)
        try bench.serve()
        #expect(bench.cursor == 1_000)
        let firsts = bench.sent.compactMap(\.positions.first?.sequence)
        #expect(firsts == firsts.sorted(by: >))
        #expect(bench.sent.flatMap(\.positions).count == 1_000)
    }

    @Test func `Overland is told the newest position beside each batch, and gets it in its turn as well`() throws {
        var bench = Bench(positions: 100)
        let first = try #require(bench.open.first)
        #expect(first.lane == .history)
        #expect(first.positions.map(\.sequence) == Array(1...16))
        #expect(first.current?.sequence == 100)
        try bench.serve()
        #expect(bench.sent.last?.positions.last?.sequence == 100)
        #expect(bench.sent.last?.current == nil)
        #expect(bench.sent.flatMap(\.positions).map(\.sequence) == Array(1...100))
    }

    @Test func `positions that may not be sent any more are forgotten at once`() throws {
        var bench = Bench(positions: 20)
        #expect(bench.open.count == 1)
        bench.act { $0.recordingLost(isWithdrawn: true, at: $1) }
        #expect(bench.open.isEmpty)
        #expect(bench.state == .waitingForRecording)
        let before = bench.sent.count
        bench.tell(Samples.target(.reachable, generation: 9, index: 7))
        bench.act { $0.flush(at: $1) }
        #expect(bench.sent.count == before)
    }

    @Test func `a daemon that restarts is told again what was not stored`() throws {
        let bench = Bench(positions: 2)
        let now = bench.now
        var uploader = bench.uploader
        let transfer = try #require(bench.open.first)
        _ = uploader.recordingLost(isWithdrawn: false, at: now)
        let silent = uploader.answered(transfer.id, with: Samples.ok, at: now)
        #expect(!silent.contains(.acknowledge(upTo: 2)))
        let effects = uploader.recordingOpened(Samples.recording, cursor: 0, last: 2, at: now)
        #expect(effects.contains(.acknowledge(upTo: 2)))
        // Another recording is another queue.
        let other = uploader.recordingOpened(Samples.otherRecording, cursor: 0, last: 3, at: now)
        #expect(other.contains(.read(ReadRequest(after: 0, limit: 64, waits: false))))
    }

    @Test func `what is told of outcomes is news`() throws {
        var bench = Bench(positions: 1)
        try bench.serve()
        for _ in 0..<5 {
            bench.record()
            try bench.serve()
        }
        #expect(bench.outcomes == [.answered])
        bench.record()
        try bench.answer(Samples.portal)
        #expect(bench.outcomes == [.answered, .captive])
        guard case .backingOff(_, 1, .captive) = bench.state else {
            Issue.record("\(bench.state)")
            return
        }
        bench.pass(.seconds(5))
        try bench.answer(HTTPAnswer(status: 500))
        bench.pass(.seconds(5))
        try bench.fail(.connect)
        #expect(bench.outcomes == [.answered, .captive, .answered, .failed])
    }

    @Test func `without a destination nothing is sent`() {
        let bench = Bench(UploadConfiguration(), positions: 1)
        #expect(bench.state == .blocked(.notConfigured, until: .max))
        #expect(bench.sent.isEmpty)
    }
}
