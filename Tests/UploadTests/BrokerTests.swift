import Location
import Testing

@testable import Upload

/// MQTT: several messages in flight, confirmed in any order.
@Suite struct BrokerTests {
    private func bench(positions: Int64 = 100, window: Int = 8) -> Bench {
        var configuration = Samples.configuration(.owntracks, broker: true)
        configuration.mqtt.window = window
        return Bench(configuration, positions: positions)
    }

    private func linked(_ isResumed: Bool = false, positions: Int64 = 100) -> Bench {
        var bench = bench(positions: positions)
        bench.act { $0.connected(isResumed: isResumed, at: $1) }
        return bench
    }

    @Test func `the uploader connects when a position is pending, and fills the window`() {
        var bench = bench()
        #expect(bench.effects.contains(.connect))
        #expect(bench.open.isEmpty)
        bench.act { $0.connected(isResumed: false, at: $1) }
        #expect(bench.open.map { $0.positions.map(\.sequence) } == [[100], [1], [2], [3], [4], [5], [6], [7]])
        #expect(Bench(Samples.configuration(.owntracks, broker: true)).effects.contains(.connect) == false)
    }

    @Test func `confirmations in any order leave no gap below the cursor`() throws {
        var bench = linked()
        try bench.confirm(3)
        try bench.confirm(2)
        #expect(bench.cursor == 0)
        try bench.confirm(1)
        #expect(bench.cursor == 3)
        try bench.confirm(100)
        #expect(bench.cursor == 3)
        for number in Int64(4)...99 { try bench.confirm(number) }
        #expect(bench.cursor == 100)
        #expect(bench.sent.count == 100)
        #expect(bench.state == .idle)
    }

    @Test func `the result of confirmations does not depend on whether they arrive together`() throws {
        var (apart, together) = (linked(), linked())
        for number: Int64 in [2, 1, 4, 100] { try apart.confirm(number) }
        try together.confirm(together: [2, 1, 4, 100])
        #expect(apart.cursor == 2 && together.cursor == 2)
        #expect(together.state == apart.state)
        #expect(together.open.map { $0.positions.map(\.sequence) } == apart.open.map { $0.positions.map(\.sequence) })
        #expect(together.uploader.report.sent == apart.uploader.report.sent)
        try together.confirm(together: [3, 5], reason: 0x97)
        guard case .backingOff(_, _, .broker(0x97)) = together.state else {
            Issue.record("\(together.state)")
            return
        }
        #expect(together.cursor == 2)
        together.pass(.seconds(5))
        try together.confirm(together: [3, 5])
        #expect(together.cursor == 5)
    }

    @Test func `only a message newer than all sent before is retained by the broker`() {
        let bench = linked()
        #expect(bench.open.map(\.isRetained) == [true] + Array(repeating: false, count: 7))
        let live = linked(positions: 5)
        #expect(live.open.map(\.isRetained) == Array(repeating: true, count: 5))
    }

    @Test func `a resumed session repeats unconfirmed messages by itself, and a new one gets them again`()
        throws
    {
        for isResumed in [true, false] {
            var bench = linked()
            let before = bench.sent
            bench.act { $0.connectionLost(.connectionLost, at: $1) }
            guard case .backingOff(_, 1, .connectionLost) = bench.state else {
                Issue.record("\(bench.state)")
                return
            }
            bench.pass(.seconds(1))
            bench.act { $0.connected(isResumed: isResumed, at: $1) }
            let again = bench.sent.dropFirst(before.count).map(\.id)
            #expect(again == (isResumed ? [] : before.map(\.id)))
            for number in before.map({ $0.positions[0].sequence }) { try bench.confirm(number) }
            bench.pass(Uploader.acknowledgementInterval)
            #expect(bench.cursor == 7)
        }
    }

    @Test func `nothing is published in a new session before the recording is available again, then everything`() throws
    {
        var bench = linked(positions: 3)
        bench.act { $0.connectionLost(.connectionLost, at: $1) }
        bench.pass(.seconds(1))
        bench.act { $0.recordingLost(isWithdrawn: false, at: $1) }
        let before = bench.sent.count
        bench.act { $0.connected(isResumed: false, at: $1) }
        #expect(bench.sent.count == before)
        #expect(bench.open.isEmpty)
        bench.open(cursor: 0)
        #expect(bench.open.map { $0.positions.map(\.sequence) } == [[1], [2], [3]])
        for number in Int64(1)...3 { try bench.confirm(number) }
        bench.pass(Uploader.acknowledgementInterval)
        #expect(bench.cursor == 3)
    }

    @Test func `without confirmations the client reconnects with half the window`() {
        var bench = linked()
        bench.pass(.seconds(60))
        #expect(bench.effects.contains(.disconnect))
        bench.pass(.seconds(1))
        #expect(bench.effects.filter { $0 == .connect }.count == 2)
        #expect(bench.uploader.pace.limit == 4)
    }

    @Test func `a lost path disconnects from the broker, and sending continues afterwards`() throws {
        var bench = linked()
        bench.notify(Samples.target(.unreachable, .noCarrier, generation: 2))
        #expect(bench.effects.last { $0 == .disconnect } != nil)
        #expect(bench.state == .waitingForPath(.noCarrier))
        #expect(bench.timer == nil)
        bench.notify(Samples.target(.reachable, generation: 3))
        bench.act { $0.connected(isResumed: true, at: $1) }
        for number in [100, 1, 2, 3] as [Int64] { try bench.confirm(number) }
        bench.pass(Uploader.acknowledgementInterval)
        #expect(bench.cursor == 3)
    }

    @Test(
        arguments: [
            (1, true), (2, true), (3, false), (4, true), (5, true), (0x86, true), (0x87, true), (0x88, false),
            (0x89, false),
        ] as [(UInt8, Bool)])
    func `a refused connection is tried again, later if the broker refused the client itself`(
        _ code: UInt8, _ isBlocked: Bool
    ) {
        var bench = bench()
        bench.act { $0.connectionRefused(code, at: $1) }
        if isBlocked {
            #expect(bench.state == .blocked(.broker(code), until: bench.now.monotonicNanoseconds + 900_000_000_000))
        } else {
            #expect(
                bench.state
                    == .backingOff(
                        until: bench.now.monotonicNanoseconds + 500_000_000, attempt: 1, because: .broker(code)))
        }
    }

    @Test func `a message that the broker calls malformed is a dead letter, and one over its quota waits`()
        throws
    {
        var bench = linked(positions: 4)
        try bench.confirm(1, reason: 0x99)
        #expect(bench.deadLetters.isEmpty, "no evidence yet that the broker accepts another message")
        try bench.confirm(4)
        try bench.confirm(3, reason: 0x10)
        try bench.confirm(2)
        try bench.confirm(1, reason: 0x99)
        #expect(bench.deadLetters == [1: DestinationRefusal(status: 0x99, message: "")])
        bench.record()
        try bench.confirm(5, reason: 0x97)
        guard case .backingOff(_, 1, .broker(0x97)) = bench.state else {
            Issue.record("\(bench.state)")
            return
        }
        bench.pass(.seconds(1))
        try bench.confirm(5)
        #expect(bench.cursor == 5)
    }

    @Test func `another broker gets the messages that the first did not confirm`() throws {
        var bench = linked()
        var other = Samples.configuration(.owntracks, broker: true)
        other.destination.url = Samples.url("mqtts://broker.example.org")
        bench.act { $0.configure(other, at: $1) }
        #expect(bench.open.isEmpty)
        bench.notify(Samples.target(.reachable))
        let before = bench.sent.count
        bench.act { $0.connected(isResumed: false, at: $1) }
        while let next = bench.open.first { try bench.confirm(next.positions[0].sequence) }
        #expect(bench.cursor == 100)
        #expect(bench.sent.count - before == 100)
    }
}
