import Authorization
import Location
import Testing

@testable import Waking

/// An app, its situation and the time, for tests of `WakeMachine`.
final class WakeScene {
    var machine = WakeMachine()
    var situation = WakeMachine.Situation(pending: [], permitted: Set(WakeCause.allCases), hasHelper: true)
    var rules = WakeRules()
    var seconds = 0.0
    private(set) var notes: [WakeMachine.Note] = []
    private var processes: Int32 = 0

    var now: Instant {
        Instant(
            monotonicNanoseconds: UInt64(seconds * 1e9),
            utc: UTCTime(microseconds: 1_790_000_000_000_000 + Int64(seconds * 1e6)))
    }

    @discardableResult
    func send(_ event: WakeMachine.Event) -> [WakeMachine.Effect] {
        let effects = machine.handle(event, in: situation, at: now, rules)
        for case .note(let note) in effects { notes.append(note) }
        return effects
    }

    /// Sets which events are pending. Returns the numbers of the orders.
    func pend(_ causes: Set<WakeCause>) -> [Int64] {
        situation.pending = causes
        return send(.situationChanged).orders
    }

    /// A new process of the app attaches.
    @discardableResult
    func attach() -> [WakeMachine.Effect] {
        processes += 1
        return send(.woke(Continuation.Mark(processID: processes, startTime: 1)))
    }

    /// The app reads its events, acknowledges them and ends.
    func finish() {
        situation.pending = []
        send(.acknowledged)
        send(.slept)
    }

    /// A restart of the daemon.
    func restart() throws {
        machine = WakeMachine(try #require(WakeRecord(text: machine.record.text)))
    }

    /// A person's stop of the app: the reason why it is not woken.
    var refusal: WakeMachine.Refusal? { machine.refusal(in: situation, at: now, rules) }
}

extension [WakeMachine.Effect] {
    /// The numbers of the orders.
    var orders: [Int64] {
        compactMap { if case .order(let number, _) = $0 { number } else { nil } }
    }
}
