import NetworkPaths
import Reachability
import Testing

struct FlapDamperTests {
    private let good = NetworkPath(status: .satisfied, supportsIPv4: true)
    private let other = NetworkPath(status: .satisfied, supportsIPv4: true, supportsIPv6: true)
    private let waiting = NetworkPath(status: .requiresConnection, reason: .noCarrier)
    private let bad = NetworkPath(status: .unsatisfied, reason: .noRoute)

    private func damper(_ first: NetworkPath, settle: UInt64 = 250) -> FlapDamper<NetworkPath> {
        FlapDamper(
            FlapDamper<NetworkPath>.Settings(
                settle: settle * milliseconds, maximum: 30 * seconds, calm: 30 * seconds), first: first)
    }

    /// A damper that has reported a loss soon after a recovery, so that the next gain is delayed.
    private func flapped() -> FlapDamper<NetworkPath> {
        var damper = damper(bad)
        _ = damper.offer(good, at: 0)
        _ = damper.offer(bad, at: 0)
        return damper
    }

    /// How long a gain right after a loss has to last; 0 if it was reported at once.
    private func pause(_ damper: inout FlapDamper<NetworkPath>, lossAt now: UInt64) -> UInt64? {
        _ = damper.offer(bad, at: now)
        _ = damper.offer(good, at: now)
        return damper.reported == good ? 0 : damper.deadline.map { ($0 - now) / milliseconds }
    }

    @Test func `the pause doubles with each loss up to the maximum`() {
        var damper = damper(good)
        let pauses = (0..<10).map { (second: UInt64) in pause(&damper, lossAt: (100 + second) * seconds) }
        // The table in the comment of FlapDamper. A gain that did not last and the loss after it are one flap.
        #expect(pauses == [0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
    }

    @Test func `the pause halves with each half minute of calm`() {
        var last = damper(good)
        for time: UInt64 in 0..<9 { _ = pause(&last, lossAt: 99 * seconds + time * seconds) }
        _ = last.timerFired(at: last.deadline ?? 0)
        #expect(last.reported == good)
        let pauses = (0..<9).map { (halves: UInt64) in
            var damper = last
            return pause(&damper, lossAt: 107 * seconds + halves * 30 * seconds)
        }
        // Halved for each calm period and doubled by the loss, except the last two: 469 ms halved is calm.
        #expect(pauses == [30_000, 30_000, 15_000, 7_500, 3_750, 1_875, 937, 0, 0])
    }

    @Test func `a loss is reported at once, however often it occurs`() {
        var damper = damper(good)
        for time: UInt64 in 1...20 {
            #expect(damper.offer(waiting, at: time * seconds) == [waiting])
            #expect(damper.offer(bad, at: time * seconds) == [bad])
            #expect(damper.deadline == nil)
            _ = damper.offer(good, at: time * seconds)
            _ = damper.timerFired(at: damper.deadline ?? 0)
            #expect(damper.reported == good)
        }
        #expect(damper.generation == 60)
    }

    @Test func `a recovery during calm is reported at once, however long the loss lasted`() {
        for absent in [1 * milliseconds, 10 * seconds, 3_600 * seconds] {
            var damper = damper(good)
            #expect(damper.offer(bad, at: 100 * seconds) == [bad])
            #expect(damper.offer(good, at: 100 * seconds + absent) == [good])
            #expect(damper.deadline == nil)
            // Again, once the required period of calm has passed.
            let next = 100 * seconds + absent + 30 * seconds
            #expect(damper.offer(bad, at: next) == [bad])
            #expect(damper.offer(good, at: next + milliseconds) == [good])
        }
    }

    @Test func `the completion of a recent recovery is delayed, and is no flap`() {
        var damper = damper(good)
        _ = damper.offer(bad, at: 100 * seconds)
        #expect(damper.offer(good, at: 110 * seconds) == [good])
        #expect(damper.offer(other, at: 110 * seconds + 20 * milliseconds) == [])
        #expect(damper.timerFired(at: 110 * seconds + 270 * milliseconds) == [other])
        // A flap would delay it.
        #expect(damper.offer(good, at: 111 * seconds) == [good])
    }

    @Test func `a recovery after a loss soon after a recovery is delayed, and a change without a path always is`() {
        var damper = damper(good)
        _ = damper.offer(bad, at: 100 * seconds)
        _ = damper.offer(good, at: 200 * seconds)
        #expect(damper.offer(bad, at: 229 * seconds) == [bad])
        #expect(damper.offer(good, at: 230 * seconds) == [])
        #expect(damper.deadline == 230 * seconds + 250 * milliseconds)
        var first = self.damper(bad)
        #expect(first.offer(waiting, at: seconds) == [])
        #expect(first.deadline == 1_250 * milliseconds)
        #expect(first.offer(good, at: 1_100 * milliseconds) == [good], "the path itself is reported at once")
    }

    @Test func `a gain is reported when it has lasted long enough, not before`() {
        var damper = flapped()
        #expect(damper.offer(good, at: 10 * seconds) == [])
        #expect(damper.deadline == 10 * seconds + 250 * milliseconds)
        #expect(damper.timerFired(at: 10 * seconds + 249 * milliseconds) == [])
        #expect(damper.timerFired(at: 10 * seconds + 250 * milliseconds) == [good])
        #expect(damper.deadline == nil)
    }

    @Test func `of several gains that do not last only the first is reported`() {
        var damper = damper(bad)
        for time: UInt64 in 0..<100 {
            #expect(damper.offer(good, at: time * seconds) == (time == 0 ? [good] : []))
            #expect(damper.offer(bad, at: time * seconds + 100 * milliseconds) == (time == 0 ? [bad] : []))
        }
        #expect(damper.deadline == nil)
        #expect(damper.generation == 2)
        #expect(damper.offer(good, at: 100 * seconds) == [])
        #expect(damper.deadline == 130 * seconds)
    }

    @Test func `a growing gain retains its deadline, and a gain that loses a part starts again`() {
        var damper = flapped()
        _ = damper.offer(waiting, at: 0)
        _ = damper.offer(good, at: 200 * milliseconds)
        _ = damper.offer(other, at: 240 * milliseconds)
        #expect(damper.deadline == 250 * milliseconds)
        _ = damper.offer(waiting, at: 245 * milliseconds)
        #expect(damper.deadline == 745 * milliseconds)
        #expect(damper.timerFired(at: 745 * milliseconds) == [waiting])
    }

    @Test func `a change between equals is reported at once during calm, and is delayed afterwards`() {
        var damper = damper(good)
        #expect(damper.offer(other, at: seconds) == [other])
        #expect(damper.offer(good, at: 2 * seconds) == [])
        #expect(damper.deadline == 2 * seconds + 250 * milliseconds)
        #expect(damper.timerFired(at: 3 * seconds) == [good])
        #expect(damper.offer(other, at: 4 * seconds) == [])
        #expect(damper.deadline == 4 * seconds + 500 * milliseconds)
        #expect(damper.offer(good, at: 4 * seconds) == [])
        #expect(damper.deadline == nil)
        // A minute of calm: 1 s, 0.5 s, 0.25 s, calm.
        #expect(damper.offer(other, at: 100 * seconds) == [other])
    }

    @Test func `a change between two states without a path is delayed even during calm`() {
        var damper = damper(bad)
        let prohibited = NetworkPath(status: .unsatisfied, reason: .prohibited)
        #expect(damper.offer(prohibited, at: seconds) == [])
        #expect(damper.timerFired(at: 2 * seconds) == [prohibited])
    }

    @Test func `an interruption is a loss and a gain, and the gain is delayed from the second one on`() {
        var damper = damper(good)
        #expect(damper.interrupted(as: waiting, now: good, at: seconds) == [waiting, good])
        #expect(damper.interrupted(as: waiting, now: good, at: 2 * seconds) == [waiting])
        #expect(damper.generation == 3)
        #expect(damper.deadline == 2 * seconds + 250 * milliseconds)
        #expect(damper.timerFired(at: 3 * seconds) == [good])
        #expect(damper.generation == 4)
    }

    @Test func `a recovery that was briefly lost has to last again, and longer`() {
        var damper = flapped()
        _ = damper.offer(good, at: 0)
        damper.pendingInterrupted(at: 200 * milliseconds)
        #expect(damper.deadline == 700 * milliseconds)
        damper.pendingInterrupted(at: 400 * milliseconds)
        #expect(damper.deadline == 1_400 * milliseconds)
    }

    @Test func `an uncertain gain is delayed, and its pause runs in the meantime`() {
        for settle: UInt64 in [250, 0] {
            var damper = damper(bad, settle: settle)
            #expect(damper.offer(good, isCertain: false, at: 0) == [])
            #expect(damper.deadline == nil)
            #expect(damper.timerFired(at: seconds) == [])
            #expect(damper.offer(good, isCertain: true, at: seconds) == [good])
        }
        var short = flapped()
        _ = short.offer(good, isCertain: false, at: 0)
        #expect(short.offer(good, at: 100 * milliseconds) == [])
        #expect(short.deadline == 250 * milliseconds)
        // A loss is reported, certain or not.
        var losing = damper(good)
        #expect(losing.offer(bad, isCertain: false, at: 0) == [bad])
    }

    @Test func `new settings apply to the pending state and to later pauses`() {
        var damper = damper(good)
        for time: UInt64 in 0..<9 { _ = pause(&damper, lossAt: (100 + time) * seconds) }
        #expect(damper.deadline == 138 * seconds)
        let shorter = FlapDamper<NetworkPath>.Settings(settle: 250 * milliseconds, maximum: seconds, calm: 30 * seconds)
        var nearlyOver = damper
        nearlyOver.use(shorter, at: 137_500 * milliseconds)
        #expect(nearlyOver.deadline == 138 * seconds, "no deadline is later than before")
        damper.use(shorter, at: 110 * seconds)
        #expect(damper.deadline == 111 * seconds)
        #expect(damper.timerFired(at: 111 * seconds) == [good])
        #expect(pause(&damper, lossAt: 112 * seconds) == 1_000)
        damper.use(FlapDamper<NetworkPath>.Settings(settle: 0), at: 112 * seconds)
        #expect(damper.deadline == 112 * seconds)
    }

    @Test func `without damping everything is reported at once`() {
        var damper = damper(good, settle: 0)
        #expect(damper.offer(bad, at: 1) == [bad])
        #expect(damper.offer(good, at: 2) == [good])
        #expect(damper.interrupted(as: waiting, now: good, at: 3) == [waiting, good])
        #expect(damper.generation == 4)
        #expect(damper.deadline == nil)
    }

    @Test func `a preliminary state is replaced at once`() {
        var damper = damper(NetworkPath(status: .unsatisfied, reason: .kernelNotAnswering))
        #expect(damper.offer(good, at: 0) == [good])
        // And that was no flap.
        #expect(damper.offer(other, at: 1) == [other])
    }

    @Test func `the same state again causes no report`() {
        var damper = damper(good)
        for time: UInt64 in 0..<5 { #expect(damper.offer(good, at: time) == []) }
        #expect(damper.generation == 0)
    }

    @Test func `times at the end of the clock do not overflow`() {
        var damper = flapped()
        // The calm since then has no effect.
        _ = damper.offer(good, at: UInt64.max - 2)
        _ = damper.offer(bad, at: UInt64.max - 2)
        #expect(damper.offer(good, at: UInt64.max - 1) == [])
        #expect(damper.deadline == UInt64.max)
        #expect(damper.timerFired(at: UInt64.max) == [good])
    }
}
