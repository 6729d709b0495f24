import Location
import Platform
import TestSupport
import Testing
import Tracking

@testable import Daemon

@Suite struct ReceiverSleepTests {
    init() { LoopThread.start() }

    /// A receiver whose needs the test sets, and what was done to the pipeline.
    @DaemonActor
    private final class Scene: OccasionalDemand {
        let clock = ManualClock()
        var occasionalNeeds: [ReceiverPlan.Need] = []
        let isMoving = true
        var changes: [ReceiverSleep.Change] = []
        private(set) var sleep: ReceiverSleep?

        init(power: ReceiverPower = .adaptive) throws {
            sleep = try ReceiverSleep(power: power, clock: clock) {
                false
            } onChange: { [weak self] in
                self?.changes.append($0)
            }
            sleep?.demand = self
        }

        func need(_ needs: [ReceiverPlan.Need]) {
            occasionalNeeds = needs
            sleep?.review()
        }

        func fix() throws {
            let coordinate = try #require(Coordinate(latitude: 47, longitude: -30))
            let now = clock.monotonicNanoseconds
            sleep?.receive(
                Fix(time: UTCTime(microseconds: 0), receivedAt: now, coordinate: coordinate, horizontalAccuracy: 5))
        }

        /// As the timer does.
        func pass(_ seconds: Double) {
            clock.advance(seconds: seconds)
            sleep?.review()
        }
    }

    @Test @DaemonActor func `the receiver sleeps after a fix, and is woken in time`() throws {
        let scene = try Scene()
        scene.need([.significantChange(dueAt: 0)])
        #expect(scene.changes == [.need])
        scene.pass(2)
        try scene.fix()
        #expect(scene.changes == [.need, .sleep])
        #expect(scene.sleep?.asleepUntil != nil && scene.sleep?.isResting == true && scene.sleep?.count == 1)
        scene.pass(100)
        #expect(scene.changes.count == 2)
        scene.pass(200)
        #expect(scene.changes == [.need, .sleep, .need])
        try scene.fix()
        #expect(scene.changes == [.need, .sleep, .need, .sleep])
        scene.need([])
        #expect(scene.changes.count == 4 && scene.sleep?.asleepUntil == nil)
    }

    @Test @DaemonActor func `without a fix a woken receiver rests no more after a minute`() throws {
        let scene = try Scene()
        scene.need([.border(meters: 35_000)])
        #expect(scene.sleep?.isResting == false, "it has not slept yet")
        try scene.fix()
        #expect(scene.sleep?.isResting == true)
        scene.pass(600)
        #expect(scene.sleep?.isResting == true && scene.changes.last == .need)
        scene.pass(59)
        #expect(scene.changes.last == .need)
        scene.pass(2)
        #expect(scene.sleep?.isResting == false && scene.changes.last == .wakingEnded)
        scene.pass(1)
        #expect(scene.changes.count { $0 == .wakingEnded } == 1)
        scene.need([])
        #expect(scene.changes.last == .release)
    }

    @Test @DaemonActor func `with continuous power it never sleeps, and a change of it wakes it`() throws {
        let scene = try Scene(power: .continuous)
        scene.need([.significantChange(dueAt: 0)])
        try scene.fix()
        #expect(scene.changes == [.need])
        scene.sleep?.power = .adaptive
        #expect(scene.changes == [.need, .sleep])
        scene.sleep?.power = .continuous
        #expect(scene.changes == [.need, .sleep, .need])
    }

    @Test @DaemonActor func `after a suspend it is woken`() throws {
        let scene = try Scene()
        scene.need([.significantChange(dueAt: 0)])
        try scene.fix()
        scene.sleep?.machineResumed()
        #expect(scene.changes == [.need, .sleep, .need])
    }
}
