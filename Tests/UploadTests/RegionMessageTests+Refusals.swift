import Location
import Testing
@testable import Upload

// Messages that a destination refuses.

extension RegionMessageTests {
    @Test(arguments: [400, 404, 413, 401, 403, 302])
    func `a message that is refused for good is dropped after a proof, and positions go on`(_ status: Int) throws {
        var bench = try Self.bench(positions: 30)
        bench.act { $0.receive(Samples.event(1, .entered), at: $1) }
        bench.act { $0.receive(Samples.event(2, .left), at: $1) }
        bench.record(20)
        try bench.serve { Self.isTransition($0) ? HTTPAnswer(status: status) : Self.ok }
        #expect(bench.cursor == 50 && bench.state == .idle)
        #expect(bench.refusedMessages == [status, status] && bench.uploader.report.refusedRegionMessages == 2)
        #expect(bench.acknowledgedEvents == [1, 2])
        let sent = bench.sent.filter(Self.isTransition).map(Self.words)
        #expect(sent == ["enter yard 1", "enter yard 1", "leave yard 2", "leave yard 2"], "and in their order")
    }

    @Test func `a refused message waits for a position that is accepted, and blocks none`() throws {
        var bench = try Self.bench()
        bench.act { $0.receive(Samples.event(1, .entered), at: $1) }
        try bench.answer(HTTPAnswer(status: 404))
        #expect(bench.open.isEmpty && bench.state == .idle && bench.uploader.report.regionRefusal == 404)
        bench.record()
        #expect(bench.open.map(Self.words) == ["1"])
        try bench.answer(Self.ok)
        #expect(bench.open.map(Self.words) == ["enter yard 1"])
        // The server was updated meanwhile.
        try bench.answer(Self.ok)
        #expect(bench.acknowledgedEvents == [1] && bench.refusedMessages.isEmpty)
        #expect(bench.uploader.report.regionRefusal == nil)
    }

    @Test func `a refusal before a failure of the destination proves nothing`() throws {
        var bench = try Self.bench()
        bench.act { $0.receive(Samples.event(1, .entered), at: $1) }
        try bench.answer(HTTPAnswer(status: 404))
        bench.record()
        try bench.answer(HTTPAnswer(status: 503))
        bench.wait()
        #expect(bench.open.map(Self.words) == ["enter yard 1"])
        try bench.answer(HTTPAnswer(status: 404))
        #expect(bench.refusedMessages.isEmpty && bench.acknowledgedEvents.isEmpty)
        #expect(bench.open.map(Self.words) == ["1"])
        try bench.answer(Self.ok)
        try bench.answer(HTTPAnswer(status: 404))
        #expect(bench.refusedMessages == [404] && bench.acknowledgedEvents == [1])
    }

    @Test func `without any position a refused message is tried again after a quarter of an hour`() throws {
        var bench = try Self.bench()
        bench.act { $0.receive(Samples.event(1, .entered), at: $1) }
        for _ in 0..<3 {
            try bench.answer(HTTPAnswer(status: 404))
            #expect(bench.open.isEmpty)
            bench.pass(.seconds(899))
            #expect(bench.open.isEmpty)
            bench.pass(.seconds(2))
            #expect(bench.open.map(Self.words) == ["enter yard 1"])
        }
        #expect(bench.refusedMessages.isEmpty)
    }

    @Test func `a broker whose rules forbid the topic of events still gets positions`() throws {
        var bench = try Self.bench(positions: 5, broker: true, serves: false)
        bench.act { $0.receive(Samples.event(1, .entered), at: $1) }
        for _ in 0..<30 {
            guard let transfer = bench.open.first else { break }
            // Not authorized.
            try bench.confirm(transfer, reason: transfer.message == nil ? 0 : 0x87)
        }
        #expect(bench.cursor == 5 && bench.state == .idle)
        // The waypoint and the transition.
        bench.record()
        for _ in 0..<30 {
            guard let transfer = bench.open.first else { break }
            try bench.confirm(transfer, reason: transfer.message == nil ? 0 : 0x87)
        }
        bench.record()
        for _ in 0..<30 {
            guard let transfer = bench.open.first else { break }
            try bench.confirm(transfer, reason: transfer.message == nil ? 0 : 0x87)
        }
        #expect(bench.cursor == 7 && bench.refusedMessages == [0x87, 0x87] && bench.acknowledgedEvents == [1])
    }
}
