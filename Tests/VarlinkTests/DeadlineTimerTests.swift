import Platform
import TestSupport
import Testing

@testable import Varlink

@Suite(.timeLimit(.minutes(15))) struct DeadlineTimerTests {
    @DaemonActor private final class Holder: DeadlineHolder {
        var deadline: UInt64?
        var passed: [UInt64] = []

        func deadlinePassed(at now: UInt64) {
            passed.append(now)
            deadline = nil
        }
    }

    private let second: UInt64 = 1_000_000_000

    init() { LoopThread.start() }

    @Test @DaemonActor func `one timer serves all deadlines and rests when there is none`() throws {
        // The clock stands still far in the future, so that the real timer, which is armed by it, never goes off.
        let start = SystemClock().monotonicNanoseconds + 10_000 * second
        let clock = ManualClock(monotonicNanoseconds: start)
        let timer = try DeadlineTimer(accuracy: .seconds(1), clock: clock)
        let holders = [Holder(), Holder(), Holder()]
        for (index, holder) in holders.enumerated() {
            timer.update(holder)
            #expect(timer.count == index)
            holder.deadline = start + UInt64(index + 1) * 10 * second
            timer.update(holder)
        }
        #expect(timer.isArmed)

        clock.advance(seconds: 10)
        timer.check()
        timer.update(holders[0])
        #expect(holders.map(\.passed) == [[start + 10 * second], [], []])
        #expect(timer.count == 2)

        // Moved to a later time without a notification: the timer reads it when it expires.
        holders[1].deadline = start + 25 * second
        clock.advance(seconds: 10)
        timer.check()
        #expect(holders[1].passed.isEmpty)
        clock.advance(seconds: 5)
        timer.check()
        #expect(holders[1].passed == [start + 25 * second])
        timer.remove(holders[1])

        holders[2].deadline = nil
        timer.update(holders[2])
        #expect(timer.count == 0)
        #expect(!timer.isArmed)
        timer.cancel()
    }
}
