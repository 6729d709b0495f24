import Location
import Testing

@testable import Upload

/// When the recording is told how far it is settled: it makes that durable each time.
@Suite struct AcknowledgementTests {
    @Test func `many answers in a row are told together while more is under way, and the rest at once at the end`()
        throws
    {
        var bench = Bench(Samples.configuration(.osmand), positions: 50)
        // Nothing was told yet: the first is not waited with. The newest one was sent before its turn.
        try bench.answer(Samples.ok)
        try bench.answer(Samples.ok)
        #expect(bench.cursor == 1)
        for _ in 0..<10 { try bench.answer(Samples.ok) }
        #expect(bench.cursor == 1)
        bench.pass(.milliseconds(19))
        #expect(bench.cursor == 1)
        bench.pass(.milliseconds(1))
        #expect(bench.cursor == 11)
        try bench.serve()
        #expect(bench.cursor == 50)
        #expect(bench.acknowledgements == [1, 11, 50])
    }

    @Test func `one position now and then is told at once`() throws {
        var bench = Bench(Samples.configuration(.osmand))
        for number in 1...5 {
            bench.record()
            try bench.serve()
            #expect(bench.cursor == Int64(number))
            bench.pass(.milliseconds(5))
        }
    }

    @Test func `a broker's confirmations are told together, and what is confirmed while a connection is lost in time`()
        throws
    {
        var bench = Bench(Samples.configuration(.owntracks, broker: true), positions: 16)
        bench.act { $0.connected(isResumed: false, at: $1) }
        for number in 1...5 { try bench.confirm(Int64(number)) }
        #expect(bench.cursor == 1)
        bench.act { $0.connectionLost(.connectionLost, at: $1) }
        #expect(bench.cursor == 1)
        bench.pass(.milliseconds(20))
        #expect(bench.cursor == 5)
    }

    @Test func `a pause has everything told that is settled once nothing is under way`() throws {
        var bench = Bench(Samples.configuration(.osmand), positions: 50)
        for _ in 0..<10 { try bench.answer(Samples.ok) }
        #expect(bench.cursor == 1)
        bench.act { $0.pause(at: $1) }
        #expect(bench.cursor == 1)
        try bench.answer(Samples.ok)
        #expect(bench.cursor == 10)
        #expect(bench.timer == nil)
    }

    @Test func `a daemon that is back is told at once`() throws {
        var bench = Bench(Samples.configuration(.osmand), positions: 50)
        for _ in 0..<10 { try bench.answer(Samples.ok) }
        bench.act { $0.recordingLost(isWithdrawn: false, at: $1) }
        bench.pass(.seconds(1))
        #expect(bench.cursor == 1)
        bench.open(cursor: 1)
        #expect(bench.cursor == 9)
    }

    @Test func `a recording that takes long to store is told less often, and once a second all the same`() throws {
        var bench = Bench(Samples.configuration(.osmand), positions: 50)
        bench.storesAtOnce = false
        for _ in 0..<5 { try bench.answer(Samples.ok) }
        #expect(bench.acknowledgements == [1])
        bench.pass(.milliseconds(30))
        try bench.store()
        bench.pass(.milliseconds(119))
        #expect(bench.acknowledgements == [1])
        bench.pass(.milliseconds(1))
        #expect(bench.acknowledgements == [1, 4])
        try bench.answer(Samples.ok)
        bench.pass(.seconds(2))
        try bench.store()
        bench.pass(.milliseconds(999))
        #expect(bench.acknowledgements == [1, 4])
        bench.pass(.milliseconds(1))
        #expect(bench.acknowledgements == [1, 4, 5])
    }
}
