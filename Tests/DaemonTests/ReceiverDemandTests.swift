import Testing

@testable import Daemon

@Suite struct ReceiverDemandTests {
    private var demand = ReceiverDemand(release: 10)

    @Test mutating func `gpsd is wanted from the first need on, and once`() {
        #expect(demand.add() == [.want])
        #expect(demand.add() == [])
        #expect(demand.count == 2)
    }

    @Test mutating func `gpsd stays connected for a while after the last need`() {
        _ = demand.add()
        _ = demand.add()
        #expect(demand.remove(at: 100) == [])
        #expect(demand.remove(at: 105) == [.armTimer(at: 115)])
        #expect(demand.timerFired(at: 115) == [.unwant])
        #expect(demand.timerFired(at: 200) == [])
    }

    @Test mutating func `a need while it is connected costs no new connection`() {
        _ = demand.add()
        _ = demand.remove(at: 0)
        #expect(demand.add() == [.disarmTimer])
        #expect(demand.timerFired(at: 10) == [])
        #expect(demand.count == 1)
    }

    @Test mutating func `a timer that fires early is armed again`() {
        _ = demand.add()
        _ = demand.remove(at: 0)
        #expect(demand.timerFired(at: 9) == [.armTimer(at: 10)])
        #expect(demand.timerFired(at: 10) == [.unwant])
    }

    @Test func `without a release time gpsd is disconnected at once`() {
        var demand = ReceiverDemand(release: 0)
        _ = demand.add()
        #expect(demand.remove(at: 5) == [.unwant])
        #expect(demand.add() == [.want])
    }

    @Test mutating func `a need that never existed cannot be removed`() {
        #expect(demand.remove(at: 1) == [])
        #expect(demand.count == 0)
    }
}
