import Location
import Testing

@testable import Upload

/// When settled positions are acknowledged to the recording, which writes each acknowledgement durably.
@Suite struct AcknowledgementTests {
    @Test func `responses in a row are acknowledged together while more is in flight, and the rest at once at the end`()
        throws
    {
        var bench = Bench(Samples.configuration(.osmand), positions: 50)
        // Nothing was acknowledged yet, so the first acknowledgement is not delayed. The newest position was sent ahead
        // of the order.
        try bench.answer(Samples.ok)
        try bench.answer(Samples.ok)
        #expect(bench.cursor == 1)
        for _ in 0..<10 { try bench.answer(Samples.ok) }
        #expect(bench.cursor == 1)
        bench.pass(.milliseconds(99))
        #expect(bench.cursor == 1)
        bench.pass(.milliseconds(1))
        #expect(bench.cursor == 11)
        try bench.serve()
        #expect(bench.cursor == 50)
        #expect(bench.acknowledgements == [1, 11, 50])
    }

    @Test func `occasional single positions are acknowledged at once`() throws {
        var bench = Bench(Samples.configuration(.osmand))
        for number in 1...5 {
            bench.record()
            try bench.serve()
            #expect(bench.cursor == Int64(number))
            bench.pass(.milliseconds(5))
        }
    }

    @Test func `a broker's confirmations are acknowledged together, and those before a lost connection in time`()
        throws
    {
        var bench = Bench(Samples.configuration(.owntracks, broker: true), positions: 16)
        bench.act { $0.connected(isResumed: false, at: $1) }
        for number in 1...5 { try bench.confirm(Int64(number)) }
        #expect(bench.cursor == 1)
        bench.act { $0.connectionLost(.connectionLost, at: $1) }
        #expect(bench.cursor == 1)
        bench.pass(.milliseconds(100))
        #expect(bench.cursor == 5)
    }

    @Test func `after a pause everything settled is acknowledged once nothing is in flight`() throws {
        var bench = Bench(Samples.configuration(.osmand), positions: 50)
        for _ in 0..<10 { try bench.answer(Samples.ok) }
        #expect(bench.cursor == 1)
        bench.act { $0.pause(at: $1) }
        #expect(bench.cursor == 1)
        try bench.answer(Samples.ok)
        #expect(bench.cursor == 10)
        #expect(bench.timer == nil)
    }

    @Test func `a daemon that has returned gets the acknowledgement at once`() throws {
        var bench = Bench(Samples.configuration(.osmand), positions: 50)
        for _ in 0..<10 { try bench.answer(Samples.ok) }
        bench.act { $0.recordingLost(isWithdrawn: false, at: $1) }
        bench.pass(.seconds(1))
        #expect(bench.cursor == 1)
        bench.open(cursor: 1)
        #expect(bench.cursor == 9)
    }

    @Test func `a recording that stores slowly gets fewer acknowledgements, but one a second`() throws {
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
