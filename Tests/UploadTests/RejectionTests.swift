import Location
import Testing

@testable import Upload

/// Whether a refusal concerns a position or the whole destination.
@Suite struct RejectionTests {
    private static let minute: UInt64 = 60_000_000_000

    @Test(
        arguments: [
            (.geojson, 404), (.overland, 400), (.owntracks, 404), (.geojson, 413), (.osmand, 413),
        ] as [(UploadFormat, Int)])
    func `a destination that refuses everything causes no dead letter, and gets all positions once it accepts`(
        _ format: UploadFormat, _ status: Int
    ) throws {
        var bench = Bench(Samples.configuration(format), positions: 300)
        for minutes: UInt64 in [1, 2, 4, 8, 15, 15] {
            try bench.serve { _ in HTTPAnswer(status: status) }
            #expect(
                bench.state
                    == .blocked(
                        .everythingRejected(status: status),
                        until: bench.now.monotonicNanoseconds + minutes * Self.minute))
            #expect(bench.deadLetters.isEmpty && bench.cursor == 0)
            bench.pass(.seconds(60 * Int64(minutes)))
        }
        let before = bench.sent.count - 1
        #expect(before <= 6 * 20, "few requests are needed to find out: \(before)")
        try bench.serve()
        #expect(bench.cursor == 300 && bench.deadLetters.isEmpty)
        #expect(bench.state == .idle)
        if format.acceptsBatches {
            #expect(bench.sent.contains { $0.positions.count > 16 }, "batches become as large as before")
        }
    }

    @Test func `a broker that refuses everything causes no dead letter`() throws {
        var bench = Bench(Samples.configuration(.owntracks, broker: true), positions: 300)
        bench.act { $0.connected(isResumed: false, at: $1) }
        while let first = bench.open.first?.positions.first?.sequence { try bench.confirm(first, reason: 0x99) }
        guard case .blocked(.everythingRejected(status: 0x99), _) = bench.state else {
            Issue.record("\(bench.state)")
            return
        }
        #expect(bench.deadLetters.isEmpty && bench.cursor == 0)
        bench.pass(.seconds(60))
        while let first = bench.open.first?.positions.first?.sequence { try bench.confirm(first) }
        #expect(bench.cursor == 300 && bench.deadLetters.isEmpty)
    }

    @Test(arguments: [1, 2, 3, 5, 20] as [Int64])
    func `adjacent bad positions at the head become dead letters without a pause`(_ bad: Int64) throws {
        for format in [UploadFormat.geojson, .owntracks] {
            var bench = Bench(Samples.configuration(format), positions: 100)
            let begin = bench.now
            try bench.serve { $0.positions.contains { $0.sequence <= bad } ? HTTPAnswer(status: 400) : Samples.ok }
            #expect(bench.deadLetters.keys.sorted() == Array(1...bad))
            #expect(bench.cursor == 100 && bench.state == .idle && bench.now == begin)
        }
    }

    @Test func `the only pending position is decided about when another one is recorded`() throws {
        var bench = Bench(Samples.configuration(.owntracks), positions: 1)
        let classify: (Transfer) -> HTTPAnswer = {
            $0.positions.contains { $0.sequence == 1 } ? HTTPAnswer(status: 400) : Samples.ok
        }
        try bench.serve(classify)
        #expect(
            bench.state
                == .blocked(.onlyPositionRejected(status: 400), until: bench.now.monotonicNanoseconds + Self.minute))
        #expect(bench.deadLetters.isEmpty && bench.cursor == 0)
        bench.record()
        try bench.serve(classify)
        #expect(bench.deadLetters.keys.sorted() == [1])
        #expect(bench.cursor == 2 && bench.state == .idle)
    }

    @Test func `positions recorded one by one cost few requests at a destination that refuses everything`() throws {
        var bench = Bench(Samples.configuration(.overland), positions: 1)
        for _ in 0..<50 {
            try bench.serve { _ in HTTPAnswer(status: 404) }
            bench.record()
            bench.pass(.seconds(1))
        }
        #expect(bench.deadLetters.isEmpty && bench.cursor == 0)
        #expect(bench.sent.count < 40, "\(bench.sent.count)")
        bench.pass(.seconds(120))
        try bench.serve()
        #expect(bench.cursor == 51 && bench.deadLetters.isEmpty)
    }

    @Test func `a position that was refused just before the destination recovered is accepted`() throws {
        var bench = Bench(Samples.configuration(.owntracks), positions: 10)
        try bench.answer(HTTPAnswer(status: 404))
        try bench.serve()
        #expect(bench.deadLetters.isEmpty && bench.cursor == 10)
    }

    @Test func `dead letters from shortly before everything was refused are sent once more automatically`() throws {
        var bench = Bench(Samples.configuration(.owntracks), positions: 40)
        // Only one of the servers behind the same address is updated already.
        try bench.serve(most: 30) {
            $0.positions.contains { $0.sequence <= 3 } ? HTTPAnswer(status: 404) : Samples.ok
        } stopping: {
            $0.deadLetters.count == 3
        }
        #expect(bench.deadLetters.keys.sorted() == [1, 2, 3])
        try bench.serve { _ in HTTPAnswer(status: 404) }
        #expect(bench.deadLetters.keys.sorted() == [1, 2, 3])
        bench.pass(.seconds(60))
        try bench.serve()
        #expect(bench.deadLetters.isEmpty && bench.cursor == 40)
    }

    @Test func `dead letters from before a restart are sent once more automatically, but only one time`() throws {
        var bench = Bench(Samples.configuration(.owntracks), positions: 40)
        let classify: (Transfer) -> HTTPAnswer = {
            $0.positions.contains { $0.sequence <= 3 } ? HTTPAnswer(status: 404) : Samples.ok
        }
        try bench.serve(most: 30, classify, stopping: { $0.deadLetters.count == 3 })
        try bench.serve { _ in HTTPAnswer(status: 404) }
        bench.restart()
        try bench.serve()
        bench.pass(.seconds(60))
        try bench.serve()
        #expect(bench.deadLetters.isEmpty && bench.cursor == 40)

        // A position that really is invalid remains a dead letter, at the cost of one request for each start.
        bench.record(5)
        try bench.serve { $0.positions.contains { $0.sequence == 42 } ? HTTPAnswer(status: 400) : Samples.ok }
        #expect(bench.deadLetters.keys.sorted() == [42])
        func requestsOfStart() throws -> Int {
            let before = bench.sent.count
            bench.restart()
            bench.record()
            try bench.serve { $0.positions.contains { $0.sequence == 42 } ? HTTPAnswer(status: 400) : Samples.ok }
            return bench.sent.count - before
        }
        #expect(try requestsOfStart() == 2)
        #expect(bench.deadLetters.keys.sorted() == [42])
        bench.pass(.seconds(90_000))
        #expect(try requestsOfStart() == 1)
    }

    @Test func `an operator's request for all dead letters is remembered while the latest are being sent`() throws {
        var bench = Bench(Samples.configuration(.geojson), positions: 300)
        try bench.serve { $0.positions.contains { $0.sequence <= 100 } ? HTTPAnswer(status: 422) : Samples.ok }
        #expect(bench.deadLetters.count == 100)
        bench.restart()
        bench.record()
        try bench.answer(Samples.ok)
        #expect(bench.open.first?.lane == .rejected)
        bench.act { $0.retryRejected(at: $1) }
        try bench.serve()
        #expect(bench.deadLetters.isEmpty)
    }

    @Test func `an operator's request for all dead letters before the recording is open is performed then`() {
        let now = Bench().now
        var uploader = Uploader(Samples.configuration(.geojson), random: { 0.5 })
        let read = UploadEffect.readRejected(after: 0, limit: RejectedPass.pageSize)
        let atRequest = uploader.retryRejected(at: now)
        let atLoss = uploader.recordingLost(isWithdrawn: false, at: now)
        #expect(!atRequest.contains(read) && !atLoss.contains(read))
        let atOpening = uploader.recordingOpened(Samples.recording, cursor: 0, last: 3, at: now)
        #expect(atOpening.contains(read))
    }

    @Test func `a pass over all dead letters that a lost recording interrupts begins again`() throws {
        var bench = Bench(Samples.configuration(.geojson), positions: 300)
        try bench.serve { $0.positions.contains { $0.sequence <= 100 } ? HTTPAnswer(status: 422) : Samples.ok }
        bench.act { $0.retryRejected(at: $1) }
        try bench.serve(stopping: { $0.deadLetters.count == 90 })
        let interrupted = try #require(bench.open.first)
        let before = bench.sent.count
        bench.act { $0.recordingLost(isWithdrawn: false, at: $1) }
        bench.open(cursor: bench.cursor)
        try bench.serve()
        #expect(bench.deadLetters.isEmpty)
        let repeated = bench.sent.dropFirst(before).contains { $0.positions == interrupted.positions }
        #expect(!repeated, "a dead letter in flight is not sent a second time")
    }

    @Test func `an uploader that is restarted while everything is refused loses nothing`() throws {
        var bench = Bench(Samples.configuration(.geojson), positions: 100)
        try bench.serve(most: 6) { _ in
            HTTPAnswer(status: 413)
        } stopping: {
            $0.sent.count > 5
        }
        bench.restart()
        try bench.serve { _ in HTTPAnswer(status: 413) }
        bench.restart()
        try bench.serve()
        #expect(bench.cursor == 100 && bench.deadLetters.isEmpty)
        #expect(Set(bench.sent.suffix(10).flatMap(\.positions).map(\.sequence)).isSuperset(of: 1...100))
    }

    @Test func `a destination without a response for 10 s is reported with the start of the silence`() throws {
        var bench = Bench(Samples.configuration(.overland), positions: 3)
        let begin = bench.now.monotonicNanoseconds
        bench.pass(.seconds(9))
        #expect(bench.uploader.report.unansweredSince == nil)
        bench.pass(.seconds(1))
        #expect(bench.uploader.report.unansweredSince == begin)
        let published = bench.states.count
        bench.pass(.seconds(40))
        #expect(bench.states.count == published, "no report is repeated")
        try bench.answer(Samples.ok)
        #expect(bench.uploader.report.unansweredSince == nil)
        #expect(bench.timer == nil)
    }

    @Test func `a silence continues over attempts that end without a response`() throws {
        var bench = Bench(Samples.configuration(.overland), positions: 1)
        let begin = bench.now.monotonicNanoseconds
        bench.pass(.seconds(65))
        guard case .sending = bench.state else {
            Issue.record("\(bench.state)")
            return
        }
        #expect(bench.uploader.report.unansweredSince == begin)
        try bench.answer(HTTPAnswer(status: 503))
        bench.wait()
        #expect(bench.uploader.report.unansweredSince == nil)
    }

    @Test func `a broker that does not confirm or accept the connection is reported likewise`() throws {
        var bench = Bench(Samples.configuration(.owntracks, broker: true), positions: 3)
        let begin = bench.now.monotonicNanoseconds
        bench.pass(.seconds(10))
        #expect(bench.uploader.report.unansweredSince == begin)
        bench.act { $0.connected(isResumed: false, at: $1) }
        #expect(bench.uploader.report.unansweredSince == nil)
        let connected = bench.now.monotonicNanoseconds
        bench.pass(.seconds(10))
        #expect(bench.uploader.report.unansweredSince == connected)
        for number: Int64 in 1...3 { try bench.confirm(number) }
        #expect(bench.uploader.report.unansweredSince == nil)
    }
}
