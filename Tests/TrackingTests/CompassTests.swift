import Location
import Testing

@testable import Tracking

struct CompassTests {
    private static let start = UTCTime(microseconds: 1_795_262_400_000_000)

    private func instant(_ seconds: Double) -> Instant {
        Instant(
            monotonicNanoseconds: UInt64((1_000 + seconds) * 1e9),
            utc: UTCTime(microseconds: Self.start.microseconds + Int64(seconds * 1e6)))
    }

    private func received(_ att: ATT, declination: Double? = nil, isSimulated: Bool = false) -> Heading? {
        var compass = Compass()
        if let declination { compass.note(TPV(mode: 3, magneticVariation: declination), at: instant(0)) }
        return compass.receive(att, isSimulated: isSimulated, at: instant(1))
    }

    @Test func `without a declination only the reported heading is known`() {
        let heading = received(ATT(heading: 14.5))
        #expect(heading?.trueHeading == 14.5 && heading?.magneticHeading == nil && heading?.declination == nil)
        #expect(heading?.headingAccuracy == nil, "gpsd reports none")
        let magnetic = received(ATT(magneticHeading: 14.5))
        #expect(magnetic?.trueHeading == nil && magnetic?.magneticHeading == 14.5)
    }

    @Test(arguments: [
        (heading: 20.0, declination: 13.0, magnetic: 7.0), (5, 13, 352), (355, -13, 8), (0, 0, 0), (180, -180, 0),
    ])
    func `an eastern declination makes the magnetic heading smaller`(
        heading: Double, declination: Double, magnetic: Double
    ) {
        let fromTrue = received(ATT(heading: heading), declination: declination)
        #expect(fromTrue?.magneticHeading == magnetic && fromTrue?.declination == declination)
        let fromMagnetic = received(ATT(magneticHeading: magnetic), declination: declination)
        #expect(fromMagnetic?.trueHeading == heading && fromMagnetic?.magneticHeading == magnetic)
    }

    @Test func `where both are reported they are used as they are`() {
        let heading = received(ATT(heading: 20, magneticHeading: 9), declination: 13)
        #expect(heading?.trueHeading == 20 && heading?.magneticHeading == 9)
    }

    @Test(arguments: [(-90.0, 270.0), (360, 0), (359.9, 359.9), (-180, 180)])
    func `a heading is from 0 up to 360 degrees`(reported: Double, heading: Double) {
        #expect(received(ATT(heading: reported))?.trueHeading == heading)
    }

    @Test(arguments: [14_223, -180.5, 360.5, .infinity, -.infinity, .nan, 1e300])
    func `a number that is no direction is no heading`(_ degrees: Double) {
        #expect(received(ATT(heading: degrees)) == nil)
        #expect(received(ATT(magneticHeading: degrees)) == nil)
        #expect(received(ATT(heading: 20), declination: degrees == 14_223 ? degrees : .nan)?.declination == nil)
        let tilted = received(ATT(heading: 20, pitch: degrees, roll: degrees))
        #expect(tilted?.trueHeading == 20 && tilted?.pitch == nil && tilted?.roll == nil)
    }

    @Test func `a compass with an alarm and a report without a heading are not used`() {
        #expect(received(ATT(heading: 20, hasAlarm: true)) == nil)
        #expect(received(ATT(pitch: 1, roll: 2, yaw: 3)) == nil)
    }

    @Test func `one of several compasses is used until it falls silent or is removed`() {
        var compass = Compass(patience: 5_000_000_000)
        func receive(_ device: String, _ seconds: Double) -> Double? {
            compass.receive(ATT(heading: 20, receiver: device), isSimulated: false, at: instant(seconds))?.trueHeading
        }
        #expect(receive("/dev/a", 0) == 20)
        #expect(receive("/dev/b", 0.5) == nil)
        #expect(receive("/dev/a", 1) == 20)
        #expect(receive("/dev/b", 5.9) == nil)
        #expect(receive("/dev/b", 6) == 20)
        #expect(receive("/dev/a", 7) == nil)
        compass.forget(device: "/dev/a")
        #expect(receive("/dev/a", 7.1) == nil)
        compass.forget(device: "/dev/b")
        #expect(receive("/dev/a", 7.2) == 20)
    }

    @Test func `a heading is current for the patience, and not after it is forgotten`() {
        var compass = Compass(patience: 5_000_000_000)
        let heading = compass.receive(ATT(heading: 20), isSimulated: false, at: instant(0))
        #expect(compass.current(at: instant(4.9).monotonicNanoseconds) == heading)
        #expect(compass.current(at: instant(5).monotonicNanoseconds) == nil)
        _ = compass.receive(ATT(heading: 20), isSimulated: false, at: instant(6))
        compass.forget()
        #expect(compass.current(at: instant(6).monotonicNanoseconds) == nil)
    }

    @Test func `a declination is used for an hour`() {
        var compass = Compass()
        compass.note(TPV(mode: 3, magneticVariation: 13), at: instant(0))
        func magnetic(_ seconds: Double) -> Double? {
            compass.receive(ATT(heading: 20), isSimulated: false, at: instant(seconds))?.magneticHeading
        }
        #expect(magnetic(3_599) == 7)
        #expect(magnetic(3_601) == nil)
    }

    @Test func `a date is the compass's own where it is possible`() {
        let now = instant(1).utc
        func days(_ days: Int64) -> UTCTime { UTCTime(microseconds: now.microseconds + days * 86_400_000_000) }
        #expect(received(ATT(heading: 20))?.time == now)
        #expect(received(ATT(time: days(-1), heading: 20))?.time == days(-1))
        #expect(received(ATT(time: days(7 * 1_024), heading: 20))?.time == now, "an era ahead")
        #expect(received(ATT(time: days(100), heading: 20)) == nil)
        #expect(received(ATT(time: UTCTime(microseconds: 0), heading: 20)) == nil)
        let replayed = received(ATT(time: days(-900), heading: 20))
        #expect(replayed?.time == days(-900) && replayed?.isSimulated == true)
        #expect(received(ATT(heading: 20), isSimulated: true)?.isSimulated == true)
    }

    @Test func `a heading is due when it has turned by the filter, over north too`() {
        var subscription = HeadingSubscription(filter: 5)
        func isDue(_ degrees: Double?, _ magnetic: Double? = nil) -> Bool {
            subscription.isDue(Heading(time: Self.start, trueHeading: degrees, magneticHeading: magnetic))
        }
        #expect(isDue(2))
        #expect(!isDue(6.9))
        #expect(!isDue(357.1))
        #expect(isDue(356.9))
        #expect(!isDue(1))
        #expect(isDue(1, 350), "the declination is known now")
        #expect(!isDue(2, 351))
        #expect(isDue(nil, 351))
        subscription.reset()
        #expect(isDue(nil, 351))
    }

    @Test func `without a filter every heading is due`() {
        var subscription = HeadingSubscription(filter: 0)
        let due = (0..<3).map { _ in subscription.isDue(Heading(time: Self.start, trueHeading: 20)) }
        #expect(due == [true, true, true])
    }
}
