import Location
import Testing
import Tracking

struct ReducedScheduleTests {
    private let field = OffsetField(keyIdentifier: 1) { _, _, _ in (UInt64.max / 2, 0) }
    private let otherField = OffsetField(keyIdentifier: 2) { _, _, _ in (UInt64.max / 9, UInt64.max / 4) }

    private func fix(_ latitude: Double = 54.5) throws -> Fix {
        Fix(
            time: time(3.21), receivedAt: 17, coordinate: try #require(Coordinate(latitude: latitude, longitude: 3.25)),
            horizontalAccuracy: 4.2, speed: 1.4)
    }

    private func new(at seconds: Double = 0, _ state: ReducedAccuracy.State? = nil) -> ReducedSchedule {
        ReducedSchedule(field: field, restoring: state, at: instant(seconds))
    }

    /// Nanoseconds of CLOCK_MONOTONIC.
    private func monotonic(_ seconds: Double) -> UInt64 { instant(seconds).monotonicNanoseconds }

    private func clocks(_ monotonic: Double, wall: Double) -> Instant {
        Instant(monotonicNanoseconds: self.monotonic(monotonic), utc: time(wall))
    }

    /// Handles a fix, the end of the minute and the storing, up to the delivery.
    private func show(
        _ schedule: inout ReducedSchedule, _ fix: Fix, at seconds: Double
    ) throws -> (reduced: ReducedFix, state: ReducedAccuracy.State, after: [ReducedSchedule.Effect]) {
        let taken = schedule.receive(fix, at: instant(seconds))
        #expect(taken.count == 2)
        guard case .arm(let end) = try #require(taken.last) else { throw Unexpected() }
        let now = Instant(
            monotonicNanoseconds: end, utc: time(Double(Int64(end) - Int64(monotonic(0))) / 1e9))
        guard case .save(let state) = try #require(schedule.timerFired(at: now).first) else { throw Unexpected() }
        let after = schedule.saved(at: now)
        guard case .show(let reduced) = try #require(after.last) else { throw Unexpected() }
        return (reduced, state, Array(after.dropLast()))
    }

    private struct Unexpected: Error {}

    @Test func `fixes are needed from a tick to the first of them, and then there is one timer`() throws {
        var schedule = new()
        #expect(schedule.setNeeded(true, at: instant(5)) == [.wantFixes])
        #expect(schedule.receive(try fix(), at: instant(7.25)) == [.unwantFixes, .arm(at: monotonic(60))])
        #expect(schedule.receive(try fix(56), at: instant(8)).isEmpty)
        #expect(schedule.current == nil)
        let saving = schedule.timerFired(at: instant(60))
        guard case .save(let state) = try #require(saving.first) else { throw Unexpected() }
        #expect(schedule.current == nil)
        #expect(schedule.saved(at: instant(60.1)) == [.arm(at: monotonic(1_200)), .show(state.latest)])
        #expect(schedule.current == state.latest)
        #expect(!state.isLate)
        #expect(schedule.timerFired(at: instant(1_200)) == [.wantFixes])
    }

    @Test func `the second of a fix within its minute has no effect on anything`() throws {
        var expected: [ReducedSchedule.Effect]?
        for second in [0.000_001, 1, 17.5, 44, 59.999_999] {
            var schedule = new()
            _ = schedule.setNeeded(true, at: instant(0))
            #expect(schedule.receive(try fix(), at: instant(180 + second)).last == .arm(at: monotonic(240)))
            let effects = schedule.timerFired(at: instant(240)) + schedule.saved(at: instant(240))
            #expect(effects == expected ?? effects)
            expected = effects
        }
        guard case .save(let state) = try #require(expected?.first) else { throw Unexpected() }
        #expect(state.isLate)
    }

    @Test func `no client means no timer and no fixes`() throws {
        var schedule = new()
        #expect(schedule.setNeeded(true, at: instant(0)) == [.wantFixes])
        #expect(schedule.setNeeded(false, at: instant(1)) == [.unwantFixes])
        #expect(schedule.receive(try fix(), at: instant(2)).isEmpty)
        _ = schedule.setNeeded(true, at: instant(3))
        _ = try show(&schedule, try fix(), at: 4)
        #expect(schedule.setNeeded(false, at: instant(70)) == [.disarm])
        #expect(schedule.timerFired(at: instant(1_200)).isEmpty)
        #expect(schedule.setNeeded(true, at: instant(80)) == [.arm(at: monotonic(1_200))])
    }

    @Test func `a held fix is delivered even if the client has left, and the next client gets it`() throws {
        var schedule = new()
        _ = schedule.setNeeded(true, at: instant(0))
        _ = schedule.receive(try fix(), at: instant(20))
        #expect(schedule.setNeeded(false, at: instant(30)).isEmpty)
        #expect(schedule.timerFired(at: instant(60)).count == 1)
        let after = schedule.saved(at: instant(60))
        #expect(after.count == 1)
        #expect(schedule.current != nil)
        #expect(schedule.setNeeded(true, at: instant(61)) == [.arm(at: monotonic(1_200))])
    }

    @Test func `a late fix uses up the next tick`() throws {
        var schedule = new()
        _ = schedule.setNeeded(true, at: instant(0))
        let late = try show(&schedule, try fix(), at: 700)
        #expect(late.state.isLate)
        #expect(late.reduced.tick.time == noon)
        #expect(late.after == [.arm(at: monotonic(2_400))])
    }

    @Test func `a client waits for a tick that is due, and otherwise gets the last position`() throws {
        var schedule = new()
        #expect(schedule.hasToWait(maximumAge: 86_400, at: instant(0)))
        _ = schedule.setNeeded(true, at: instant(0))
        _ = try show(&schedule, try fix(), at: 1)
        for second in stride(from: 61.0, to: 1_200, by: 33) {
            #expect(!schedule.hasToWait(maximumAge: 0, at: instant(second)))
        }
        #expect(schedule.hasToWait(maximumAge: 10, at: instant(1_200)))
        #expect(!schedule.hasToWait(maximumAge: 1_300, at: instant(1_200)))
        _ = schedule.timerFired(at: instant(1_200))
        // Whether a fix is held already is not observable.
        #expect(schedule.hasToWait(maximumAge: 10, at: instant(1_210)))
        _ = schedule.receive(try fix(), at: instant(1_220))
        #expect(schedule.hasToWait(maximumAge: 10, at: instant(1_230)))
        _ = schedule.timerFired(at: instant(1_260))
        #expect(schedule.hasToWait(maximumAge: 10, at: instant(1_260)))
        _ = schedule.saved(at: instant(1_260))
        #expect(!schedule.hasToWait(maximumAge: 10, at: instant(1_260)))
    }

    @Test func `the stored position is delivered after a restart, and a fix that was only held is lost`() throws {
        var schedule = new()
        _ = schedule.setNeeded(true, at: instant(0))
        let first = try show(&schedule, try fix(), at: 1)
        var restarted = new(at: 300, first.state)
        #expect(restarted.current == first.reduced)
        #expect(restarted.setNeeded(true, at: instant(300)) == [.arm(at: monotonic(1_200))])
        _ = restarted.timerFired(at: instant(1_200))
        _ = restarted.receive(try fix(56), at: instant(1_201))
        let again = new(at: 1_202, first.state)
        #expect(again.current == first.reduced)
    }

    @Test func `a wall clock set forward fires the timer earlier, but brings nothing within 19 minutes`()
        throws
    {
        var schedule = new()
        _ = schedule.setNeeded(true, at: instant(0))
        _ = try show(&schedule, try fix(), at: 1)
        #expect(schedule.clockWasSet(at: clocks(100, wall: 90_000)) == [.arm(at: monotonic(60 + 1_140))])
        #expect(schedule.timerFired(at: clocks(1_200, wall: 91_100)) == [.wantFixes])
    }

    @Test func `a wall clock set back repeats the last position for 19 minutes`() throws {
        var schedule = new()
        _ = schedule.setNeeded(true, at: instant(0))
        let first = try show(&schedule, try fix(), at: 1)
        #expect(schedule.clockWasSet(at: clocks(100, wall: -90_000)) == [.arm(at: monotonic(1_200))])
        #expect(!schedule.hasToWait(maximumAge: 0, at: clocks(100, wall: -90_000)))
        #expect(schedule.current == first.reduced)
        #expect(schedule.timerFired(at: clocks(1_200, wall: -88_900)) == [.wantFixes])
        _ = schedule.receive(try fix(56), at: clocks(1_201, wall: -88_899))
        #expect(schedule.timerFired(at: clocks(1_261, wall: -88_839)).count == 1)
        _ = schedule.saved(at: clocks(1_261, wall: -88_839))
        #expect(schedule.current.map { $0.tick < first.reduced.tick } == true)
    }

    @Test func `a clock set back while fixes are needed releases the receiver`() throws {
        var schedule = new()
        _ = schedule.setNeeded(true, at: instant(0))
        _ = try show(&schedule, try fix(), at: 1)
        #expect(schedule.timerFired(at: instant(1_200)) == [.wantFixes])
        #expect(schedule.clockWasSet(at: clocks(1_200, wall: 1_100)) == [.unwantFixes, .arm(at: monotonic(1_300))])
    }

    @Test func `a clock set while a fix is held does not prolong the hold`() throws {
        var schedule = new()
        _ = schedule.setNeeded(true, at: instant(0))
        _ = schedule.receive(try fix(), at: instant(20))
        #expect(schedule.clockWasSet(at: clocks(21, wall: -500_000)).isEmpty)
        #expect(schedule.timerFired(at: clocks(59.9, wall: -499_961)) == [.arm(at: monotonic(60))])
        #expect(schedule.timerFired(at: clocks(60, wall: -499_960)).count == 1)
    }

    @Test func `another key moves the position from the next tick on`() throws {
        var schedule = new()
        _ = schedule.setNeeded(true, at: instant(0))
        let first = try show(&schedule, try fix(), at: 1)
        schedule.use(otherField)
        #expect(schedule.current == first.reduced)
        _ = schedule.timerFired(at: instant(1_200))
        let second = try show(&schedule, try fix(), at: 1_201)
        #expect(second.state.keyIdentifier == 2)
        #expect(second.reduced.cell != first.reduced.cell)
    }

    @Test(arguments: [Int64.min, .min + 1, -1, 0, .max - 1, .max], [UInt64.min, .max])
    func `times at the limits of their range do not trap`(microseconds: Int64, monotonic: UInt64) throws {
        let edge = Instant(monotonicNanoseconds: monotonic, utc: UTCTime(microseconds: microseconds))
        var schedule = ReducedSchedule(field: field, at: edge)
        #expect(schedule.setNeeded(true, at: edge) == [.wantFixes])
        _ = schedule.receive(try fix(), at: edge)
        let end = Instant(monotonicNanoseconds: .max, utc: edge.utc)
        #expect(schedule.timerFired(at: end).count == 1)
        #expect(schedule.saved(at: end).count == 2)
        _ = schedule.clockWasSet(at: instant(0))
        _ = schedule.hasToWait(maximumAge: 0, at: instant(0))
    }
}
