import Testing

@testable import Replay

@Suite struct PacingTests {
    private let offsets: [UInt64] = [0, 0, 1_000_000_000, 3_000_000_000]
    private let start: UInt64 = 5_000_000_000

    /// The time at which each part is sent, in seconds after the start, with a clock that goes from wait to wait.
    private func times(_ pace: Pace, loops: Bool = false, parts: Int = 4) -> [Double] {
        var pacing = Pacing(offsets: offsets, pace: pace, loops: loops)
        var now = start
        var sent: [Double] = []
        for _ in 0..<100 where sent.count < parts {
            switch pacing.step(now: now) {
            case .send:
                sent.append(Double(now - start) / 1_000_000_000)
                pacing.sent()
            case .wait(let until): now = until
            case .finished: return sent
            }
        }
        return sent
    }

    @Test func `at the receiver's speed each part goes when it is due`() {
        #expect(times(.times(1)) == [0, 0, 1, 3])
    }

    @Test func `at ten times the speed each goes after a tenth of the time`() {
        #expect(times(.times(10)) == [0, 0, 0.1, 0.3])
    }

    @Test func `without a limit nothing waits`() {
        #expect(times(.unlimited) == [0, 0, 0, 0])
    }

    @Test func `a loop begins again a second after the end`() {
        #expect(times(.times(1), loops: true, parts: 8) == [0, 0, 1, 3, 4, 4, 5, 7])
    }

    @Test func `after a stall overdue parts are sent at once and the schedule is unchanged`() {
        var pacing = Pacing(offsets: offsets, pace: .times(1), loops: false)
        #expect(pacing.step(now: start) == .send(0))
        pacing.sent()
        let late = start + 2_000_000_000
        for part in 1...2 {
            #expect(pacing.step(now: late) == .send(part))
            pacing.sent()
        }
        #expect(pacing.step(now: late) == .wait(until: start + 3_000_000_000))
        #expect(pacing.step(now: start + 3_000_000_000) == .send(3))
        pacing.sent()
        #expect(pacing.step(now: start + 3_000_000_000) == .finished)
        #expect(pacing.passes == 1)
    }

    @Test func `a part that could not be sent is offered again`() {
        var pacing = Pacing(offsets: offsets, pace: .unlimited, loops: false)
        #expect(pacing.step(now: start) == .send(0))
        #expect(pacing.step(now: start) == .send(0))
    }

    @Test(
        arguments: [
            ("1", Pace.times(1)), ("0.5", .times(0.5)), ("0", .unlimited), ("max", .unlimited), ("-1", nil),
            ("nan", nil), ("inf", nil), ("", nil), ("fast", nil),
        ] as [(String, Pace?)])
    func `a pace is a number of times or max`(text: String, pace: Pace?) {
        #expect(Pace(text) == pace)
    }
}
