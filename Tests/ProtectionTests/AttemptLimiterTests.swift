import Location
import Testing

@testable import Protection

@Suite struct AttemptLimiterTests {
    private func time(_ seconds: Double) -> UTCTime {
        UTCTime(microseconds: Int64(1_800_000_000 + seconds) * 1_000_000)
    }

    @Test func `five wrong passphrases cost nothing, and then the waits grow to an hour`() {
        var limiter = AttemptLimiter()
        var now = 0.0
        var waits: [Double] = []
        for _ in 0..<11 {
            waits.append(limiter.wait(at: time(now)))
            now += limiter.wait(at: time(now))
            limiter.fail(at: time(now))
        }
        #expect(waits == [0, 0, 0, 0, 0, 0, 60, 300, 900, 3_600, 3_600])
        #expect(limiter.wait(at: time(now + 3_599)) == 1 && limiter.wait(at: time(now + 3_601)) == 0)
        limiter.succeed()
        #expect(limiter == AttemptLimiter() && limiter.wait(at: time(now)) == 0)
    }

    @Test func `a clock that is set back restarts the wait, which then ends`() {
        var limiter = AttemptLimiter(failures: 7, lastFailure: time(10_000))
        #expect(limiter.wait(at: time(0)) == 300)
        #expect(limiter.wait(at: time(500)) == 300)
        limiter.adjust(to: time(500))
        #expect(limiter.wait(at: time(600)) == 200 && limiter.wait(at: time(800)) == 0)
        limiter.adjust(to: time(900))
        #expect(limiter.wait(at: time(900)) == 0)
    }

    @Test func `a stored record of any content is a limiter`() {
        #expect(AttemptLimiter(failures: -3).wait(at: time(0)) == 0)
        #expect(AttemptLimiter(failures: .max, lastFailure: time(0)).wait(at: time(0)) == 3_600)
    }
}
