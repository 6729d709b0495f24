import Authorization
import Location
import Testing

@testable import Waking

@Suite struct WakeMachineTests {
    @Test func `a sleeping app is started once for all events that come meanwhile`() {
        let scene = WakeScene()
        #expect(scene.pend([.regions]) == [1])
        #expect(scene.pend([.regions, .path]) == [])
        scene.send(.reported(1, .started))
        #expect(scene.pend([.regions, .path, .target]) == [])
        #expect(scene.machine.phase == .starting(until: 30_000_000_000, ranBefore: false))
        scene.attach()
        #expect(scene.machine.record.launch?.cause == .regions)
        #expect(scene.notes == [.woken(.regions)])
        scene.finish()
        #expect(scene.machine.phase == .asleep)
        #expect(scene.machine.record.failures == 0)
    }

    @Test func `a change is stored before its order is given`() {
        let scene = WakeScene()
        scene.situation.pending = [.path]
        #expect(scene.send(.situationChanged) == [.save, .order(1, .path)])
    }

    @Test func `an app that runs is not woken, and is when it ends with events left`() {
        let scene = WakeScene()
        scene.attach()
        #expect(scene.pend([.regions]) == [])
        #expect(scene.send(.slept).orders == [1])
        #expect(scene.machine.record.failures == 0)
    }

    @Test func `a start by the app itself is no wake`() {
        let scene = WakeScene()
        scene.attach()
        #expect(scene.machine.record.launch?.cause == nil)
        #expect(scene.machine.record.wokenAt == nil)
        #expect(scene.notes == [])
    }

    @Test func `an event that the app may not know wakes it when it may`() {
        let scene = WakeScene()
        scene.situation.permitted = []
        #expect(scene.pend([.regions]) == [])
        #expect(scene.refusal == .notAuthorized)
        scene.situation.permitted = [.regions]
        #expect(scene.send(.situationChanged).orders == [1])
    }

    @Test func `an order is withdrawn, and costs nothing, if the authorization is lost before it is given`() {
        let scene = WakeScene()
        #expect(scene.pend([.regions]) == [1])
        #expect(scene.machine.mayGive(1, in: scene.situation))
        scene.situation.permitted = []
        #expect(!scene.machine.mayGive(1, in: scene.situation))
        #expect(scene.send(.situationChanged) == [.save, .withdraw(1)])
        #expect(scene.machine.record.budget.left(at: scene.now.utc, scene.rules) == 5)
        // A result that comes all the same changes nothing.
        #expect(scene.send(.reported(1, .started)) == [])
        #expect(scene.machine.phase == .asleep)
    }

    @Test func `without a program that starts services the event waits`() {
        let scene = WakeScene()
        scene.situation.hasHelper = false
        #expect(scene.pend([.regions]) == [])
        #expect(scene.refusal == .noHelper)
        scene.situation.hasHelper = true
        #expect(scene.send(.helperCame).orders == [1])
    }

    @Test func `an order is given again, with its number, after the loss of the helper or the daemon`() throws {
        let scene = WakeScene()
        #expect(scene.pend([.regions]) == [1])
        scene.situation.hasHelper = false
        #expect(scene.send(.situationChanged).orders == [])
        scene.situation.hasHelper = true
        #expect(scene.send(.helperCame).orders == [1])
        try scene.restart()
        #expect(scene.send(.situationChanged).orders == [])
        #expect(scene.send(.helperCame).orders == [1])
        // The first order may have started the service, so this counts as a wake.
        scene.send(.reported(1, .alreadyRunning))
        #expect(scene.notes == [.woken(.regions)])
        #expect(scene.machine.record.budget.left(at: scene.now.utc, scene.rules) == 4)
        scene.attach()
        #expect(scene.machine.record.launch?.cause == .regions)
    }

    @Test func `a service that ran already costs nothing`() {
        let scene = WakeScene()
        #expect(scene.pend([.regions]) == [1])
        scene.send(.reported(1, .alreadyRunning))
        #expect(scene.machine.record.budget.left(at: scene.now.utc, scene.rules) == 5)
        #expect(scene.notes == [])
    }

    @Test func `a service that was about to end when it was to be started is started when it has ended`() {
        let scene = WakeScene()
        #expect(scene.pend([.regions]) == [1])
        scene.send(.reported(1, .alreadyRunning))
        #expect(scene.send(.unitEnded) == [.save, .order(2, .regions)])
        scene.send(.reported(2, .started))
        #expect(scene.machine.record.failures == 0)
        #expect(scene.machine.record.budget.left(at: scene.now.utc, scene.rules) == 4, "one wake")
        // The end of one that was started is seen when the app does not attach.
        #expect(scene.send(.unitEnded) == [])
        scene.attach()
        #expect(scene.notes == [.woken(.regions)])
        #expect(scene.send(.unitEnded) == [], "the connection of an app that runs ends by itself")
    }

    @Test func `a service that restarts by itself again and again without its app is a failure every second time`() {
        let scene = WakeScene()
        _ = scene.pend([.regions])
        for order in 1...6 {
            scene.send(.reported(Int64(order), .alreadyRunning))
            #expect(scene.send(.unitEnded).orders == (order < 6 ? [Int64(order + 1)] : []))
            #expect(scene.machine.record.failures == order / 2)
        }
        #expect(scene.refusal == .paused(.ended))
    }

    @Test func `an app that never attaches is paused after three wakes, until it starts by itself`() {
        let scene = WakeScene()
        var order: Int64 = 0
        _ = scene.pend([.regions])
        for _ in 1...3 {
            order += 1
            scene.send(.reported(order, .started))
            scene.seconds += 29.9
            #expect(scene.send(.timePassed).orders == [])
            scene.seconds += 0.2
            scene.send(.timePassed)
        }
        #expect(scene.refusal == .paused(.neverAttached))
        #expect(scene.notes.last == .paused(.neverAttached))
        scene.seconds += 86_400
        #expect(scene.send(.timePassed).orders == [])
        scene.attach()
        #expect(scene.machine.record.hold == nil)
        #expect(scene.send(.slept).orders == [4])
    }

    @Test func `an app that ends three times without having acknowledged anything is paused`() {
        let scene = WakeScene()
        _ = scene.pend([.regions])
        for order in Int64(1)...3 {
            scene.send(.reported(order, .started))
            scene.attach()
            scene.send(.slept)
        }
        #expect(scene.refusal == .paused(.ended))
        // It cost three wakes, and no more.
        #expect(scene.machine.record.budget.left(at: scene.now.utc, scene.rules) == 2)
    }

    @Test func `a crash counts although the app had acknowledged, before and after its end was noticed`() {
        let scene = WakeScene()
        for order in Int64(1)...3 {
            #expect(scene.pend([.regions]) == [order])
            scene.send(.reported(order, .started))
            scene.attach()
            scene.situation.pending = []
            scene.send(.acknowledged)
            if order == 2 { scene.send(.unitFailed) }
            scene.send(.slept)
            if order != 2 { scene.send(.unitFailed) }
        }
        _ = scene.pend([.regions])
        #expect(scene.refusal == .paused(.ended))
    }

    @Test func `a success in between begins the count again`() {
        let scene = WakeScene()
        for order in Int64(1)...5 {
            #expect(scene.pend([.regions]) == [order])
            scene.send(.reported(order, .started))
            scene.attach()
            scene.situation.pending = []
            if order == 3 { scene.send(.acknowledged) }
            scene.send(.slept)
        }
        #expect(scene.machine.record.hold == nil)
        #expect(scene.machine.record.failures == 2)
    }

    @Test(arguments: [WakeRecord.ForcedQuit.stopped, .decision])
    func `a person who stops an app has forced it to quit`(how: WakeRecord.ForcedQuit) throws {
        let scene = WakeScene()
        scene.attach()
        scene.send(.stopped(how))
        #expect(scene.pend([.regions]) == [])
        #expect(scene.send(.slept).orders == [])
        try scene.restart()
        #expect(scene.send(.helperCame).orders == [])
        #expect(scene.refusal == .forcedQuit(how))
        scene.attach()
        #expect(scene.refusal == nil)
        #expect(scene.notes == [.forcedQuit(how), .allowed])
        #expect(scene.send(.slept).orders == [1])
    }

    @Test func `a person who stops an app while it is being woken ends that`() {
        let scene = WakeScene()
        _ = scene.pend([.regions])
        #expect(scene.send(.stopped(.stopped)).contains(.withdraw(1)))
        #expect(scene.refusal == .forcedQuit(.stopped))
    }

    @Test func `a restart of the daemon does not lift what a person decided while the app runs`() throws {
        let scene = WakeScene()
        scene.attach()
        scene.send(.stopped(.decision))
        try scene.restart()
        scene.send(.woke(Continuation.Mark(processID: 1, startTime: 1)))
        #expect(scene.pend([.path]) == [])
        #expect(scene.send(.slept).orders == [])
        #expect(scene.refusal == .forcedQuit(.decision))
    }

    @Test func `a person may permit it again`() {
        let scene = WakeScene()
        scene.send(.stopped(.decision))
        #expect(scene.pend([.path]) == [])
        #expect(scene.send(.allowed).orders == [1])
    }

    @Test func `a service that is disabled or masked is forced to quit, one that was never enabled is not`() {
        let scene = WakeScene()
        scene.send(.unitFile(.disabled))
        #expect(scene.machine.record.hold == nil)
        scene.send(.unitFile(.enabled))
        scene.send(.unitFile(.disabled))
        #expect(scene.notes == [.forcedQuit(.disabled)])
        let other = WakeScene()
        other.send(.unitFile(.masked))
        #expect(other.notes == [.forcedQuit(.masked)])
    }

    @Test(
        arguments: [
            (WakeMachine.Outcome.masked, WakeMachine.Refusal.forcedQuit(.masked)), (.stopped, .forcedQuit(.stopped)),
            (.unavailable, .unavailable),
        ])
    func `what the service manager refuses is no failure of the app`(
        outcome: WakeMachine.Outcome, refusal: WakeMachine.Refusal
    ) {
        let scene = WakeScene()
        _ = scene.pend([.regions])
        #expect(scene.send(.reported(1, outcome)).orders == [])
        #expect(scene.refusal == refusal)
        #expect(scene.machine.record.failures == 0)
    }

    @Test func `a service that cannot be started now is ordered again after a minute, or when that is reported`() {
        let scene = WakeScene()
        #expect(scene.pend([.regions]) == [1])
        #expect(scene.send(.reported(1, .unavailable)).orders == [])
        #expect(scene.machine.deadline == 60_000_000_000)
        scene.seconds = 59
        #expect(scene.send(.timePassed).orders == [] && scene.machine.deadline == 60_000_000_000)
        scene.seconds = 60
        #expect(scene.send(.timePassed).orders == [2])
        #expect(scene.send(.reported(2, .unavailable)).orders == [])
        #expect(scene.send(.helperCame).orders == [3])
        #expect(scene.machine.record.failures == 0)
    }

    @Test(arguments: [WakeMachine.Outcome.noService, .notStarted])
    func `a service that cannot be started is tried three times`(outcome: WakeMachine.Outcome) {
        let scene = WakeScene()
        _ = scene.pend([.regions])
        for order in Int64(1)...3 { scene.send(.reported(order, outcome)) }
        guard case .paused? = scene.refusal else { Issue.record("not paused"); return }
        #expect(scene.send(.helperCame).orders == [])
    }

    @Test func `the burst is used up, then one wake follows every three minutes`() {
        let scene = WakeScene()
        var times: [Double] = []
        for _ in 0..<1_500 {
            let orders = scene.pend([.path])
            for order in orders {
                times.append(scene.seconds)
                scene.send(.reported(order, .started))
                scene.attach()
                scene.finish()
            }
            scene.seconds += 1
        }
        #expect(times == [0, 1, 2, 3, 4, 180, 360, 540, 720, 900, 1_080, 1_260, 1_440])
        #expect(scene.notes.count { $0 == .delayed } == 9)
    }

    @Test func `the deadline is the one at which the budget permits a wake`() {
        let scene = WakeScene()
        for order in Int64(1)...5 {
            _ = scene.pend([.path])
            scene.send(.reported(order, .started))
            scene.attach()
            scene.finish()
        }
        #expect(scene.pend([.path]) == [])
        #expect(scene.refusal == .budget)
        #expect(scene.machine.deadline == 180_000_000_000)
        scene.seconds = 180
        #expect(scene.send(.timePassed).orders == [6])
    }

    @Test func `a clock that was set back, and smaller limits, delay a wake by an empty budget at most`() {
        let scene = WakeScene()
        scene.seconds = 1_000_000
        for order in Int64(1)...5 {
            _ = scene.pend([.path])
            scene.send(.reported(order, .started))
            scene.attach()
            scene.finish()
        }
        scene.seconds = 0
        #expect(scene.pend([.path]) == [])
        scene.seconds = 179
        #expect(scene.send(.timePassed).orders == [])
        scene.rules.perHour = 3_600
        #expect(scene.send(.timePassed).orders == [])
        scene.seconds = 181
        #expect(scene.send(.timePassed).orders == [6])
    }

    @Test(arguments: WakeRecord.ForcedQuit.allCases)
    func `the first start after a forced quit is one, until it ends, also over a restart of the daemon`(
        how: WakeRecord.ForcedQuit
    ) throws {
        let scene = WakeScene()
        scene.attach()
        #expect(scene.machine.record.launch?.isAfterForcedQuit == false)
        scene.send(.slept)
        scene.send(.stopped(how))
        let process = Continuation.Mark(processID: 70, startTime: 3)
        scene.send(.woke(process))
        #expect(scene.machine.record.launch?.isAfterForcedQuit == true)
        try scene.restart()
        scene.send(.woke(process))
        #expect(scene.machine.record.launch?.isAfterForcedQuit == true)
        scene.send(.slept)
        scene.attach()
        #expect(scene.machine.record.launch?.isAfterForcedQuit == false)
    }

    @Test
    func `a start after a pause, after a permission or of a process that was frozen is not one after a forced quit`() {
        let scene = WakeScene()
        _ = scene.pend([.regions])
        for order in Int64(1)...3 { scene.send(.reported(order, .notStarted)) }
        #expect(scene.refusal == .paused(.notStarted))
        scene.attach()
        #expect(scene.machine.record.launch?.isAfterForcedQuit == false)
        scene.finish()
        scene.send(.stopped(.decision))
        scene.send(.allowed)
        let process = Continuation.Mark(processID: 70, startTime: 3)
        scene.send(.woke(process))
        #expect(scene.machine.record.launch?.isAfterForcedQuit == false)
        scene.send(.stopped(.decision))
        scene.send(.slept)
        scene.send(.woke(process))
        #expect(scene.machine.record.launch?.isAfterForcedQuit == false)
    }

    @Test func `a frozen app is thawed and learns why`() {
        let scene = WakeScene()
        let process = Continuation.Mark(processID: 7, startTime: 3)
        scene.send(.woke(process))
        scene.send(.slept)
        #expect(scene.pend([.visits]) == [1])
        scene.send(.reported(1, .thawed))
        scene.send(.woke(process))
        #expect(scene.machine.record.launch == WakeRecord.Launch(cause: .visits, process: process))
    }

    @Test func `the process that ran before a restart of the daemon was neither started nor woken`() throws {
        let scene = WakeScene()
        let process = Continuation.Mark(processID: 7, startTime: 3)
        scene.send(.woke(process))
        try scene.restart()
        // The daemon does not know yet that it runs.
        #expect(scene.pend([.regions]) == [1])
        scene.send(.woke(process))
        #expect(scene.machine.record.launch?.cause == nil)
        #expect(scene.machine.record.budget.left(at: scene.now.utc, scene.rules) == 5)
        #expect(scene.notes == [])
    }
}
