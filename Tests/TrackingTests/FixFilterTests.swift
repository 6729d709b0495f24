import Location
import Testing
import Tracking

struct FixFilterTests {
    @Test func `a good report becomes a fix with values of 68 percent`() throws {
        var filter = FixFilter()
        let fix = try #require(filter.consider(0).fix)
        #expect(fix.time == noon)
        #expect(fix.coordinate == Coordinate(latitude: 54.5, longitude: 3.25))
        #expect(abs(fix.horizontalAccuracy - 6.167) < 0.001)
        #expect(abs((fix.verticalAccuracy ?? 0) - 10.148) < 0.001)
        #expect(fix.altitude == 3)
        #expect(fix.ellipsoidalAltitude == 45)
        #expect(fix.course == 90)
        #expect(fix.speed == 2)
        #expect(fix.quality == .ordinary)
        #expect(!fix.isSimulated)
        #expect(fix.receiver == "/dev/one")
    }

    @Test(arguments: [
        ("a time but no fix", 1, Rejection.noFix),
        ("no mode", 0, .noFix),
    ])
    func `mode 1 with a time and a stale position is no fix`(_ case: String, mode: Int, reason: Rejection) {
        var filter = FixFilter()
        #expect(filter.consider(0) { $0.mode = mode }.reason == reason)
    }

    @Test func `mode 3 without a time gets none`() {
        var filter = FixFilter()
        #expect(filter.consider(0) { $0.time = nil }.reason == .noTime)
    }

    @Test func `mode 3 without a latitude is no fix`() {
        var filter = FixFilter()
        #expect(filter.consider(0) { $0.latitude = nil }.reason == .noCoordinate)
        #expect(filter.consider(1) { $0.longitude = nil }.reason == .noCoordinate)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a latitude that is no number is no fix`(_ value: Double) {
        var filter = FixFilter()
        #expect(filter.consider(0) { $0.latitude = value }.reason == .notFinite)
        #expect(filter.consider(0) { $0.longitude = value }.reason == .notFinite)
    }

    @Test(arguments: [(91.0, 0.0), (-90.1, 3.0), (3.0, 180.5), (3.0, -359)])
    func `a place outside the valid range is no fix`(_ latitude: Double, _ longitude: Double) {
        var filter = FixFilter()
        let verdict = filter.consider(0) {
            $0.latitude = latitude
            $0.longitude = longitude
        }
        #expect(verdict.reason == .outOfRange)
    }

    @Test func `latitude 0 and longitude 0 together are no fix and each alone is one`() {
        var filter = FixFilter()
        let nowhere = filter.consider(0) {
            $0.latitude = 0
            $0.longitude = 0
        }
        #expect(nowhere.reason == .nullIsland)
        #expect(filter.consider(1) { $0.latitude = 0 }.fix != nil)
        var other = FixFilter()
        #expect(other.consider(1) { $0.longitude = 0 }.fix != nil)
    }

    @Test func `the same epoch twice is delivered once`() {
        var filter = FixFilter()
        #expect(filter.consider(0).fix != nil)
        #expect(filter.consider(0).reason == .duplicateEpoch)
        #expect(filter.consider(0.1).fix != nil)
        #expect(filter.accepted == 2)
        #expect(filter.rejected == [.duplicateEpoch: 1])
    }

    @Test func `a log that is replayed in a loop is delivered once`() {
        var filter = FixFilter()
        let anHourAgo = -3600.0
        for pass in 0..<3 {
            for second in 0..<20 {
                let verdict = filter.consider(
                    report(anHourAgo + Double(second)), at: instant(Double(pass * 20 + second)))
                if pass == 0 {
                    #expect(verdict.fix != nil)
                } else {
                    #expect(verdict.reason == (second == 19 ? .duplicateEpoch : .timeBackwards))
                }
            }
        }
        #expect(filter.accepted == 20)
    }

    @Test func `a receiver that was a day ahead and is right now is believed again`() {
        var filter = FixFilter()
        #expect(filter.consider(report(86_400), at: instant(0)).fix != nil)
        for second in 1..<10 { #expect(filter.consider(Double(second)).reason == .timeBackwards) }
        #expect(filter.consider(10).fix != nil)
        #expect(filter.consider(11).fix != nil)
    }

    @Test func `an impossible speed between two fixes is no fix`() {
        var filter = FixFilter()
        #expect(filter.consider(0).fix != nil)
        #expect(filter.consider(1) { $0.latitude = 54.6 }.reason == .impossibleSpeed)
        #expect(filter.consider(2).fix != nil)
    }

    @Test func `an airliner's speed is possible`() {
        var filter = FixFilter()
        for second in 0..<10 {
            let verdict = filter.consider(Double(second)) { report in
                report.longitude = 3.25 + 0.0045 * Double(second)
                report.speed = 290
            }
            #expect(verdict.fix != nil)
        }
    }

    @Test func `a jump that the receiver's own speed does not explain is no fix`() {
        var filter = FixFilter()
        #expect(filter.consider(0) { $0.speed = 0.1 }.fix != nil)
        let jump = filter.consider(1) { report in
            (report.speed, report.latitude) = (0.1, 54.509)
        }
        #expect(jump.reason == .impossibleSpeed)
        for second in 2..<10 {
            let stays = filter.consider(Double(second)) { report in
                (report.speed, report.latitude) = (0.1, 54.512)
            }
            #expect(stays.reason == .impossibleSpeed)
        }
        #expect(filter.consider(10) { $0.speed = 0.1 }.fix != nil)
    }

    @Test func `a receiver that converges after its start may jump by the width of a street`() {
        var filter = FixFilter()
        #expect(filter.consider(0) { $0.speed = 0.1 }.fix != nil)
        let step = filter.consider(1) { report in
            (report.speed, report.latitude) = (0.1, 54.5009)
        }
        #expect(step.fix != nil)
    }

    @Test func `a jump without a reported speed is checked against the maximum speed`() {
        var filter = FixFilter()
        #expect(filter.consider(0) { $0.speed = nil }.fix != nil)
        #expect(filter.consider(1) { ($0.speed, $0.latitude) = (nil, 54.509) }.fix != nil)
    }

    @Test func `a receiver that always reports speed 0 is limited by it for at most ten seconds`() {
        var filter = FixFilter()
        var rejected = 0
        for second in 0..<60 {
            let verdict = filter.consider(Double(second)) { report in
                (report.longitude, report.speed) = (3.25 + 0.0045 * Double(second), 0)
            }
            if verdict.reason == .impossibleSpeed { rejected += 1 }
        }
        #expect((1...11).contains(rejected))
        #expect(filter.accepted == 60 - rejected)
    }

    @Test func `a receiver that stays at another place is believed after 10 seconds there`() {
        var filter = FixFilter()
        #expect(filter.consider(0).fix != nil)
        for second in 1...10 {
            #expect(filter.consider(Double(second)) { $0.latitude = 10 }.reason == .impossibleSpeed)
        }
        #expect(filter.consider(11) { $0.latitude = 10 }.fix != nil)
        #expect(filter.consider(12) { $0.latitude = 10 }.fix != nil)
    }

    @Test func `a slow receiver that stays at another place is believed after 3 fixes there`() {
        var filter = FixFilter()
        #expect(filter.consider(0).fix != nil)
        #expect(filter.consider(60) { $0.latitude = 10 }.reason == .impossibleSpeed)
        #expect(filter.consider(120) { $0.latitude = 10 }.reason == .impossibleSpeed)
        #expect(filter.consider(180) { $0.latitude = 10 }.fix != nil)
    }

    @Test func `a receiver that jumped for a few seconds is believed at once at its old place`() {
        var filter = FixFilter()
        #expect(filter.consider(0).fix != nil)
        for tenth in 1...50 {
            #expect(filter.consider(Double(tenth) / 10) { $0.latitude = 10 }.reason == .impossibleSpeed)
        }
        #expect(filter.consider(5.1).fix != nil)
    }

    @Test func `a receiver that jumps repeatedly is not believed`() {
        var filter = FixFilter()
        #expect(filter.consider(0).fix != nil)
        for second in 1..<20 {
            let verdict = filter.consider(Double(second)) { $0.latitude = 10 + 5 * Double(second % 3) }
            #expect(verdict.reason == .impossibleSpeed)
        }
    }

    @Test func `a long gap permits a long distance`() {
        var filter = FixFilter()
        #expect(filter.consider(0).fix != nil)
        #expect(filter.consider(36_000) { $0.latitude = 10 }.fix != nil)
    }

    @Test(arguments: [-20_000.0, 200_000])
    func `an impossible altitude is no fix`(_ altitude: Double) {
        var filter = FixFilter()
        #expect(filter.consider(0) { $0.altitudeMSL = altitude }.reason == .implausibleAltitude)
        #expect(filter.consider(0) { $0.altitudeHAE = altitude }.reason == .implausibleAltitude)
    }

    @Test func `a two-dimensional fix has no altitude`() throws {
        var filter = FixFilter()
        let fix = try #require(filter.consider(0) { $0.mode = 2 }.fix)
        #expect(fix.altitude == nil)
        #expect(fix.ellipsoidalAltitude == nil)
        #expect(fix.verticalAccuracy == nil)
        #expect(fix.climb == nil)
    }

    @Test(
        arguments: [
            (90.0, 2.0, 90.0), (360, 2, 0), (-45, 2, 315), (359.9999, 2, 359.9999), (90, 0.1, nil), (.nan, 2, nil),
            (720, 2, nil), (90, .nan, nil),
        ] as [(Double, Double, Double?)])
    func `a course from 0 up to 360 is delivered only in motion`(track: Double, speed: Double, course: Double?) {
        var filter = FixFilter()
        let verdict = filter.consider(0) {
            $0.track = track
            $0.speed = speed
        }
        #expect(verdict.fix?.course == course)
        #expect(verdict.fix != nil)
    }

    @Test(
        arguments: [
            (0, FixQuality.ordinary), (1, .ordinary), (2, .dgps), (3, .rtkFixed), (4, .rtkFloat), (5, .deadReckoning),
            (6, .deadReckoning), (7, .surveyed), (8, nil), (9, .ordinary), (77, nil),
        ] as [(Int, FixQuality?)])
    func `the status determines the quality of the fix`(status: Int, quality: FixQuality?) {
        var filter = FixFilter()
        let fix = filter.consider(0) { $0.status = status }.fix
        #expect(fix?.quality == quality)
        #expect(fix?.isSimulated == (status == 8))
    }

    @Test func `configuration marks everything as simulated`() {
        var limits = FixFilter.Limits()
        limits.isSimulated = true
        var filter = FixFilter(limits: limits)
        #expect(filter.consider(0).fix?.isSimulated == true)
    }

    @Test func `more receivers than are remembered do no harm`() {
        var filter = FixFilter()
        for number in 0..<100 {
            _ = filter.consider(Double(number)) { $0.receiver = "/dev/\(number)" }
        }
        #expect(filter.consider(200) { $0.receiver = "/dev/99" }.fix != nil)
    }
}
