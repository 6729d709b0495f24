import Authorization
import Location
import TestSupport
import Testing

@testable import Waking

@Suite struct WakePropertyTests {
    /// What must hold whatever happens, checked from the events and effects alone.
    private struct Ledger {
        /// When each order was made.
        var orders: [Int64: Double] = [:]
        /// The orders by which the service was started, or was attempted to be.
        var performed: Set<Int64> = []
        /// Whether a person has forced the app to quit, or it is paused, and it has not started by itself since.
        var isHeld = false
    }

    @Test func `whatever happens, no wake without authorization, after a forced quit, or beyond the budget`() throws {
        var generator = SeededGenerator()
        for _ in 0..<100 {
            let scene = WakeScene()
            var ledger = Ledger()
            for _ in 0..<200 {
                let before = scene.machine
                let effects = try step(scene, &ledger, &generator)
                try check(effects, before, scene, &ledger, "\(generator)")
            }
            // In any time the app is ordered at most its burst and what has come since.
            let times = ledger.performed.compactMap { ledger.orders[$0] }.sorted()
            for (index, start) in times.enumerated() {
                for (offset, end) in times[index...].enumerated() {
                    #expect(Double(offset + 1) <= 5 + (end - start) / 180 + 1e-6, "\(generator)")
                }
            }
        }
    }

    private func step(
        _ scene: WakeScene, _ ledger: inout Ledger, _ generator: inout SeededGenerator
    ) throws -> [WakeMachine.Effect] {
        scene.seconds += [0, 0.1, 1, 20, 31, 200].randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<16, using: &generator) {
        case 0, 1, 2:
            scene.situation.pending = Set(WakeCause.allCases.filter { _ in Bool.random(using: &generator) })
            return scene.send(.situationChanged)
        case 3:
            scene.situation.permitted = Set(WakeCause.allCases.filter { _ in Bool.random(using: &generator) })
            return scene.send(.situationChanged)
        case 4:
            scene.situation.hasHelper.toggle()
            return scene.send(scene.situation.hasHelper ? .helperCame : .situationChanged)
        case 5, 6, 7:
            let order = scene.machine.record.attempt?.order ?? Int64.random(in: 0...9, using: &generator)
            let outcome = WakeMachine.Outcome.allCases.randomElement(using: &generator) ?? .started
            return scene.send(.reported(order, outcome))
        case 8, 9:
            let isOwn = scene.machine.record.attempt == nil
            let effects = scene.attach()
            if isOwn { ledger.isHeld = false }
            return effects
        case 10, 11: return scene.send(.slept)
        case 12: return scene.send(.acknowledged)
        case 13:
            let how = WakeRecord.ForcedQuit.allCases.randomElement(using: &generator) ?? .stopped
            return scene.send(.stopped(how))
        case 14:
            if Bool.random(using: &generator) {
                ledger.isHeld = false
                return scene.send(.allowed)
            }
            return scene.send([.unitFailed, .unitEnded, .timePassed].randomElement(using: &generator) ?? .timePassed)
        default:
            try scene.restart()
            return scene.send(.situationChanged)
        }
    }

    private func check(
        _ effects: [WakeMachine.Effect], _ before: WakeMachine, _ scene: WakeScene, _ ledger: inout Ledger,
        _ comment: Testing.Comment
    ) throws {
        // A stop, and a third failure, take effect before anything that is ordered in the same step.
        for case .note(let note) in effects {
            switch note {
            case .forcedQuit, .paused: ledger.isHeld = true
            case .woken, .delayed, .failed, .allowed: break
            }
        }
        for case .order(let order, let cause) in effects {
            #expect(scene.situation.pending.contains(cause) && scene.situation.permitted.contains(cause), comment)
            #expect(!ledger.isHeld, comment)
            #expect(scene.situation.hasHelper, comment)
            #expect(scene.machine.mayGive(order, in: scene.situation), comment)
            if ledger.orders[order] == nil { ledger.orders[order] = scene.seconds }
        }
        #expect(effects.orders.count <= 1, comment)
        if !scene.situation.hasHelper || scene.machine.record.attempt == nil {
            #expect(effects.orders == [], comment)
        }
        if let attempt = before.record.attempt {
            let isPerformed = effects.contains {
                switch $0 {
                case .note(.woken), .note(.failed): true
                default: false
                }
            }
            if isPerformed { ledger.performed.insert(attempt.order) }
        }
        // An app that may be woken is being woken.
        if scene.refusal == nil, !scene.situation.pending.isDisjoint(with: scene.situation.permitted) {
            #expect(scene.machine.phase != .asleep, comment)
        }
        // One that waits for its budget, or for its service, waits until a time that makes a difference.
        if scene.refusal == .budget || scene.machine.phase.isStarting {
            let due = WakeScene()
            (due.machine, due.situation, due.rules) = (scene.machine, scene.situation, scene.rules)
            due.seconds = Double(try #require(scene.machine.deadline, comment)) / 1e9 + 1e-6
            due.send(.timePassed)
            #expect(due.machine.phase != scene.machine.phase && due.refusal != .budget, comment)
        }
        #expect(scene.machine.record == WakeRecord(text: scene.machine.record.text), comment)
        #expect((effects.first == .save) == (scene.machine.record != before.record), comment)
    }
}

extension WakeMachine.Phase {
    /// Whether the app's service was started and the app has not attached yet.
    fileprivate var isStarting: Bool {
        if case .starting = self { true } else { false }
    }
}
