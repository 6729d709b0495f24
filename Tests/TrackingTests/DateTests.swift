import Location
import Testing
import Tracking

struct DateTests {
    private let era = 1024.0 * 7 * 86_400
    private let day = 86_400.0
    private let year = 365.25 * 86_400

    @Test(arguments: [-2.0, -1, 1, 2])
    func `a date that is off by whole eras is corrected if the clock is sane`(_ eras: Double) throws {
        var filter = FixFilter()
        for second in 0..<5 {
            let fix = try #require(
                filter.consider(report(Double(second) + eras * era), at: instant(Double(second))).fix)
            #expect(fix.time == time(Double(second)))
            #expect(!fix.isSimulated)
        }
        #expect(filter.correctedDates == 5)
    }

    @Test(arguments: [true, false])
    func `a date 9 years ahead that no era explains is not delivered`(_ isSynchronised: Bool) {
        var filter = FixFilter()
        let verdict = filter.consider(report(9 * year), at: instant(0, isSynchronised: isSynchronised))
        #expect(verdict.reason == .weekRollover)
    }

    @Test(
        arguments: [
            ("/dev/ttyACM0", false, nil), ("/dev/ttyACM0", true, .weekRollover), ("/dev/pts/3", false, .weekRollover),
            ("tcp://10.0.0.1:2000", false, .weekRollover), ("", false, .weekRollover),
        ] as [(String, Bool, Rejection?)])
    func `a date months ahead is believed only if the clock may lag`(
        _ receiver: String, _ isSynchronised: Bool, _ reason: Rejection?
    ) {
        var filter = FixFilter()
        let ahead = report(90 * day) { $0.receiver = receiver }
        let verdict = filter.consider(ahead, at: instant(0, isSynchronised: isSynchronised))
        #expect(verdict.reason == reason)
        #expect((verdict.fix?.time == time(90 * day)) == (reason == nil))
    }

    @Test func `an old date is delivered unchanged and marked as a replay`() throws {
        var filter = FixFilter()
        let fix = try #require(filter.consider(report(-9 * year), at: instant(0)).fix)
        #expect(fix.time == time(-9 * year))
        #expect(fix.isSimulated)
    }

    @Test(
        arguments: [
            ("/dev/ttyACM0", -3.0, false), ("/dev/ttyACM0", -300, false), ("/dev/ttyACM0", -400, true),
            ("/dev/pts/3", -3, true), ("tcp://10.0.0.1:2000", -3, true), ("/dev/pts/3", -1, false),
        ] as [(String, Double, Bool)])
    func `a receiver on a device of its own that is behind the clock is no replay`(
        _ receiver: String, _ days: Double, _ isSimulated: Bool
    ) throws {
        var filter = FixFilter()
        let behind = report(days * day) { $0.receiver = receiver }
        let fix = try #require(filter.consider(behind, at: instant(0, isSynchronised: true)).fix)
        #expect(fix.time == time(days * day))
        #expect(fix.isSimulated == isSimulated)
    }

    @Test func `a marked replay may have any date of GPS`() {
        var limits = FixFilter.Limits()
        limits.isSimulated = true
        var filter = FixFilter(limits: limits)
        #expect(filter.consider(report(-30 * year), at: instant(0)).fix?.time == time(-30 * year))
        #expect(filter.consider(report(9 * year), at: instant(1)).fix?.time == time(9 * year))
        var fresh = FixFilter(limits: limits)
        #expect(fresh.consider(report(-50 * year), at: instant(0)).reason == .weekRollover)
    }

    @Test func `with a clock from before the build only the build decides`() {
        let unset = Instant(monotonicNanoseconds: 5, utc: UTCTime(microseconds: 86_400_000_000))
        var filter = FixFilter()
        #expect(filter.consider(report(-era), at: unset).reason == .weekRollover)
        #expect(filter.consider(report(era), at: unset).reason == .weekRollover)
        #expect(filter.consider(report(0), at: unset).fix?.isSimulated == false)
    }

    @Test func `a replay starts again with a new connection and not before`() {
        var filter = FixFilter()
        let start = -9 * year
        for second in 0..<5 {
            #expect(filter.consider(report(start + Double(second)), at: instant(Double(second))).fix != nil)
        }
        #expect(filter.consider(report(start), at: instant(5)).reason == .timeBackwards)
        filter.connectionRestarted()
        #expect(filter.consider(report(start), at: instant(6)).fix != nil)
        #expect(filter.consider(report(start + 1), at: instant(7)).fix != nil)
        #expect(filter.consider(report(start), at: instant(8)).reason == .timeBackwards)
    }

    @Test func `a live receiver's time does not start again with a new connection`() {
        var filter = FixFilter()
        for second in 0..<5 { #expect(filter.consider(Double(second)).fix != nil) }
        filter.connectionRestarted()
        #expect(filter.consider(report(4), at: instant(5)).reason == .duplicateEpoch)
        #expect(filter.consider(report(3), at: instant(5)).reason == .timeBackwards)
        #expect(filter.consider(5).fix != nil)
    }
}
