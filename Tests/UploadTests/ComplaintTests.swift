import Location
import Testing

@testable import Upload

/// Situations that users of trackers complain about.
@Suite struct ComplaintTests {
    @Test
    func `a day recorded before a reboot is sent after it, and no acknowledged position twice`()
        throws
    {
        var bench = Bench(positions: 86_400)
        for _ in 0..<40 { try bench.answer(Samples.ok) }
        bench.pass(Uploader.acknowledgementInterval)
        let acknowledged = bench.cursor
        #expect(acknowledged > 1_000)
        let before = bench.sent.count
        bench.restart()
        try bench.serve()
        #expect(bench.cursor == 86_400)
        let history = bench.sent[before...].filter { $0.lane == .history }.flatMap(\.positions).map(\.sequence)
        let isAllOnce = history == Array((acknowledged + 1)...86_400)
        #expect(isAllOnce)
    }

    @Test func `one refused position blocks nothing, and is stored with the destination's reason`() throws {
        var bench = Bench(Samples.configuration(.geojson), positions: 100)
        try bench.serve { transfer in
            transfer.positions.contains { $0.sequence == 42 }
                ? HTTPAnswer(status: 422, body: Array("accuracy\u{1B}[2J too low".utf8)) : Samples.ok
        }
        #expect(bench.cursor == 100)
        #expect(bench.deadLetters == [42: DestinationRefusal(status: 422, message: "accuracy [2J too low")])
        #expect(bench.uploader.report.rejected == 1)
        #expect(bench.uploader.report.sent == 99)
        #expect(bench.state == .idle)
        // Halving the batch finds it without a request for each position.
        #expect(bench.sent.count < 30)
    }

    @Test(arguments: [UploadFailure.nameLookup, .connect, .tls(.expired), .connectionLost, .timedOut])
    func `nothing is lost while the network is up and the destination is down`(_ failure: UploadFailure) throws {
        var bench = Bench(positions: 10)
        for _ in 0..<50 {
            try bench.fail(failure)
            guard case .backingOff(let until, _, failure) = bench.state else {
                Issue.record("the uploader does not back off: \(bench.state)")
                return
            }
            #expect(until - bench.now.monotonicNanoseconds <= 300_000_000_000)
            bench.record()
            bench.wait()
        }
        #expect(bench.cursor == 0)
        try bench.serve()
        #expect(bench.cursor == 60)
        #expect(bench.outcomes.filter { $0 == .failed }.count == 50)
        #expect(bench.outcomes.last == .answered)
    }

    @Test func `a changed destination gets all pending positions`() throws {
        var bench = Bench(positions: 50)
        try bench.answer(Samples.ok)
        let acknowledged = bench.cursor
        #expect(acknowledged > 0 && acknowledged < 50)
        var other = Samples.configuration(.geojson)
        other.destination.url = Samples.url("https://other.example.org:8443/positions")
        let before = bench.sent.count
        bench.act { $0.configure(other, at: $1) }
        #expect(bench.open.isEmpty)
        #expect(bench.state == .waitingForPath(nil))
        bench.notify(Samples.target(.reachable))
        try bench.serve()
        #expect(bench.cursor == 50)
        let received = Set(bench.sent[before...].flatMap(\.positions).map(\.sequence))
        #expect(received.isSuperset(of: (acknowledged + 1)...50))
    }

    @Test(arguments: ["86400", "999999999999999999999999", "Sat, 21 Nov 2093 10:00:00 GMT", "-5", "soon", ""])
    func `no wait lasts a day, whatever the destination requests`(_ text: String) throws {
        var bench = Bench(positions: 1)
        for _ in 0..<30 {
            try bench.answer(HTTPAnswer(status: 503, headers: [HTTPAnswer.Header("retry-after", text)]))
            let timer = try #require(bench.timer)
            #expect(timer - bench.now.monotonicNanoseconds <= 300_000_000_000)
            bench.wait()
        }
        try bench.serve()
        #expect(bench.cursor == 1)
    }

    @Test func `an acknowledged position is sent once, and one whose response was lost again with the same key`()
        throws
    {
        var bench = Bench(Samples.configuration(.geojson), positions: 51)
        let key = try #require(bench.open.first?.idempotencyKey)
        #expect(key == "\"01234567-89ab-4def-8123-456789abcdef/51-51\"")
        for _ in 0..<2 { try bench.answer(Samples.ok) }
        let lost = try #require(bench.open.first)
        try bench.fail(.connectionLost)
        bench.wait()
        #expect(bench.open.first?.idempotencyKey == lost.idempotencyKey)
        #expect(bench.open.first?.positions == lost.positions)
        try bench.serve()
        let times = Dictionary(grouping: bench.sent.flatMap(\.positions), by: \.sequence).mapValues(\.count)
        #expect(times.count == 51)
        #expect(times.filter { $0.value > 1 }.keys.sorted() == lost.positions.map(\.sequence))
        #expect(times.values.max() == 2)
    }

    @Test(arguments: UploadFormat.all, [false, true])
    func `ten positions of one second are ten positions`(_ format: UploadFormat, hasFractions: Bool) throws {
        var configuration = Samples.configuration(format)
        configuration.osmand.method = .form
        configuration.destination.hasFractionalTimes = hasFractions
        let writer = RequestWriter(configuration)
        let isIdentifiedByTime = format == .geojson || hasFractions && format != .owntracks
        var bodies: Set<[UInt8]> = []
        for number in 0..<10 {
            var position = Samples.position(Int64(number + 1))
            position.position.timestamp = 1_780_300_800 + Double(number) / 10
            var body: [UInt8] = []
            let transfer = Transfer(id: 1, lane: .history, positions: [position], current: nil, isRetained: false)
            _ = try #require(writer.write(transfer, at: UTCTime(microseconds: Samples.begin), into: &body))
            // Without the number that distinguishes positions, their times have to, if they have fractions.
            let text = String(decoding: body, as: UTF8.self).replacing("def/\(number + 1)\"", with: "def\"")
                .replacing("def%2F\(number + 1)", with: "def")
            bodies.insert(isIdentifiedByTime ? Array(text.utf8) : body)
        }
        #expect(bodies.count == 10)
    }

    @Test func `while a backlog drains one new position is sent ahead, and the others in order`() throws {
        var bench = Bench(Samples.configuration(.owntracks), positions: 500)
        var served = 0
        while let transfer = bench.open.first, served < 2_000 {
            served += 1
            if served <= 100 { bench.record() }
            bench.pass(.milliseconds(150))
            #expect(transfer.positions.count == 1)
            try bench.answer(Samples.ok)
        }
        let numbers = bench.sent.map { $0.positions[0].sequence }
        #expect(bench.sent.first?.lane == .current)
        #expect(numbers.first == 500)
        // 60 s: one more in that time.
        #expect(bench.sent.filter { $0.lane == .current }.count == 2)
        let history = bench.sent.filter { $0.lane == .history }.map { $0.positions[0].sequence }
        #expect(history == history.sorted())
        #expect(numbers.sorted() == Array(1...600))
        #expect(bench.cursor == 600)
    }

    @Test func `every wait is reported and something ends it`() throws {
        let obstacles: [(String, (inout Bench) throws -> Void)] = [
            ("failure", { try $0.fail(.connect) }),
            ("no answer", { $0.pass(.seconds(60)) }),
            ("credential", { try $0.answer(HTTPAnswer(status: 401)) }),
            ("portal", { try $0.answer(Samples.portal) }),
            ("moved", { try $0.answer(HTTPAnswer(status: 308)) }),
            ("server", { try $0.answer(HTTPAnswer(status: 500)) }),
            ("wrong answer", { try $0.answer(HTTPAnswer(status: 200)) }),
            (
                "too expensive",
                { bench in
                    bench.notify(Samples.target(.reachable, constrained: true))
                    try bench.answer(HTTPAnswer(status: 429))
                }
            ),
        ]
        for (name, obstacle) in obstacles {
            var bench = Bench(positions: 3)
            try obstacle(&bench)
            #expect(bench.open.isEmpty, "\(name)")
            #expect(bench.state != .idle, "\(name)")
            let timer = try #require(bench.timer, "\(name): no timer ends \(bench.state)")
            #expect(timer - bench.now.monotonicNanoseconds <= 3_600_000_000_000, "\(name)")
            bench.wait(atMost: .seconds(3_600))
            try bench.serve()
            #expect(bench.cursor == 3, "\(name)")
        }
    }
}
