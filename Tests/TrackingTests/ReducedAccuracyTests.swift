import Location
import Testing
import Tracking

struct ReducedAccuracyTests {
    private let field = OffsetField(keyIdentifier: 1) { _, _, _ in (UInt64.max / 2, 0) }
    private let otherField = OffsetField(keyIdentifier: 2) { _, _, _ in (UInt64.max / 9, UInt64.max / 4) }

    private func fix(_ latitude: Double = 54.5, _ longitude: Double = 3.25) throws -> Fix {
        Fix(
            time: time(3.21), receivedAt: 17,
            coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)),
            horizontalAccuracy: 4.2, altitude: 12.3, speed: 1.4, course: 88, quality: .dgps, receiver: "/dev/one")
    }

    private func new() -> ReducedAccuracy { ReducedAccuracy(field: field, at: instant(0)) }

    /// Monotonic seconds and wall-clock seconds after noon, which differ when the wall clock was set.
    private func clocks(_ monotonic: Double, wall: Double) -> Instant {
        Instant(monotonicNanoseconds: 1_000_000_000_000 + UInt64(monotonic * 1e9), utc: time(wall))
    }

    @Test func `a position has the tick's time, 7000 metres and nothing else`() throws {
        var accuracy = new()
        let reduced = try #require(accuracy.reduce(try fix(), at: instant(754.321)))
        let position = Position(reduced)
        #expect(
            position
                == Position(
                    timestamp: noon.secondsSinceEpoch, coordinate: reduced.cell.centre, horizontalAccuracy: 7_000,
                    accuracy: .reduced))
    }

    @Test func `a simulated position is marked`() throws {
        var accuracy = new()
        var simulated = try fix()
        simulated.isSimulated = true
        let reduced = accuracy.reduce(simulated, at: instant(0))
        #expect(reduced.map { Position($0).isSimulated } == true)
    }

    @Test func `between ticks every reply repeats the last`() throws {
        var accuracy = new()
        let first = try #require(accuracy.reduce(try fix(), at: instant(0)))
        for second in 1..<1_200 {
            #expect(accuracy.reduce(try fix(54.5 + Double(second) / 1_000), at: instant(Double(second))) == nil)
            #expect(accuracy.current == first)
        }
        let second = try #require(accuracy.reduce(try fix(56), at: instant(1_200)))
        #expect(second.tick == first.tick.next)
        #expect(second.cell != first.cell)
    }

    @Test func `the first fix does not wait for a tick, and then the next tick brings nothing`() throws {
        var accuracy = new()
        #expect(accuracy.reduce(try fix(), at: instant(700))?.tick.time == noon)
        #expect(accuracy.nextTime(at: instant(700)) == time(2_400))
        #expect(accuracy.reduce(try fix(56), at: instant(1_200)) == nil)
        #expect(accuracy.reduce(try fix(56), at: instant(2_399)) == nil)
        #expect(accuracy.reduce(try fix(56), at: instant(2_400))?.tick.time == time(2_400))
    }

    @Test func `occasional fixes are accepted at least 19 minutes apart`() throws {
        var accuracy = new()
        var last: Double?
        var second = 0.0
        for round in 0..<2_000 {
            second += Double((round &* 7_919) % 1_500)
            guard accuracy.reduce(try fix(), at: instant(second)) != nil else { continue }
            if let last { #expect(second - last >= 1_140) }
            last = second
        }
    }

    @Test func `the stored position is repeated after a restart, until the next tick`() throws {
        var accuracy = new()
        let first = try #require(accuracy.reduce(try fix(), at: instant(1)))
        for restart in 0..<100 {
            let now = instant(2 + Double(restart) * 11)
            accuracy = ReducedAccuracy(field: field, restoring: accuracy.state, at: now)
            #expect(accuracy.reduce(try fix(56), at: now) == nil)
            #expect(accuracy.current == first)
        }
        #expect(accuracy.reduce(try fix(56), at: instant(1_200)) != nil)
    }

    @Test func `a restart does not shorten the wait after a late fix`() throws {
        var accuracy = new()
        _ = accuracy.reduce(try fix(), at: instant(1_100))
        accuracy = ReducedAccuracy(field: field, restoring: accuracy.state, at: instant(1_300))
        #expect(accuracy.reduce(try fix(56), at: instant(1_300)) == nil)
        #expect(accuracy.reduce(try fix(56), at: instant(2_400)) != nil)
    }

    @Test func `another key brings no second position within a tick`() throws {
        var accuracy = new()
        let first = try #require(accuracy.reduce(try fix(), at: instant(0)))
        accuracy.use(otherField)
        #expect(accuracy.reduce(try fix(), at: instant(600)) == nil)
        #expect(accuracy.current == first)
        accuracy = ReducedAccuracy(field: otherField, restoring: accuracy.state, at: instant(700))
        #expect(accuracy.reduce(try fix(), at: instant(700)) == nil)
        #expect(accuracy.state?.keyIdentifier == 1)
        #expect(accuracy.reduce(try fix(), at: instant(1_200)) != nil)
        #expect(accuracy.state?.keyIdentifier == 2)
    }

    @Test func `setting the wall clock forward repeatedly brings nothing new`() throws {
        var accuracy = new()
        let first = try #require(accuracy.reduce(try fix(), at: instant(0)))
        for jump in 1..<1_000 {
            #expect(accuracy.reduce(try fix(56), at: clocks(Double(jump), wall: Double(jump) * 1_200)) == nil)
        }
        #expect(accuracy.current == first)
        #expect(accuracy.reduce(try fix(56), at: clocks(1_140, wall: 2_000_000)) != nil)
    }

    @Test func `setting the wall clock back and forth brings nothing new`() throws {
        var accuracy = new()
        _ = accuracy.reduce(try fix(), at: instant(0))
        for round in 1..<1_000 {
            let wall = Double(round) + (round % 2 == 0 ? 7_200 : -7_200)
            #expect(accuracy.reduce(try fix(56), at: clocks(Double(round), wall: wall)) == nil)
        }
    }

    @Test func `a clock that was years ahead and is corrected delays nothing for longer than a tick`() throws {
        var accuracy = new()
        _ = accuracy.reduce(try fix(), at: clocks(0, wall: 400_000_000))
        #expect(accuracy.reduce(try fix(56), at: clocks(60, wall: 60)) == nil)
        #expect(accuracy.nextTime(at: clocks(60, wall: 60)) == time(1_140))
        #expect(accuracy.reduce(try fix(56), at: clocks(1_140, wall: 1_140))?.tick.time == noon)
        // The same with a restart in between.
        _ = accuracy.reduce(try fix(), at: clocks(3_000, wall: 400_000_000))
        accuracy = ReducedAccuracy(field: field, restoring: accuracy.state, at: clocks(3_010, wall: 3_010))
        #expect(accuracy.reduce(try fix(56), at: clocks(3_011, wall: 3_011)) == nil)
        #expect(accuracy.reduce(try fix(56), at: clocks(4_150, wall: 4_150)) != nil)
    }

    @Test(arguments: [Int64.min, .min + 1, -1, 0, .max])
    func `times at the limits of their range do not trap`(microseconds: Int64) throws {
        var accuracy = new()
        let edge = Instant(monotonicNanoseconds: .max, utc: UTCTime(microseconds: microseconds))
        #expect(accuracy.reduce(try fix(), at: edge) != nil)
        #expect(accuracy.current.map { $0.tick.time.microseconds % 1_200_000_000 } == 0)
        _ = accuracy.nextTime(at: instant(0))
        #expect(accuracy.reduce(try fix(), at: clocks(0, wall: 0)) == nil)
    }

    @Test func `ticks are on the hour and each 20 minutes, before 1970 too`() {
        #expect(ReducedTick(at: noon).time == noon)
        #expect(ReducedTick(at: time(1_199.999_999)).time == noon)
        #expect(ReducedTick(at: time(-0.000_001)).time == time(-1_200))
        #expect(ReducedTick(at: UTCTime(microseconds: -1)).number == -1)
        #expect(ReducedTick(at: UTCTime(microseconds: -1_200_000_000)).number == -1)
    }
}
