import Location
import Testing
import Tracking

struct AccuracyTests {
    private func near(_ value: Double?, _ wanted: Double) -> Bool {
        value.map { abs($0 - wanted) < 0.005 } ?? false
    }

    @Test(arguments: [0.0, -1, .nan, .infinity])
    func `an invalid eph is replaced by epx and epy and never delivered`(_ eph: Double) {
        var filter = FixFilter()
        let verdict = filter.consider(0) {
            $0.eph = eph
            $0.epx = 3
            $0.epy = 4
        }
        #expect(near(verdict.fix?.horizontalAccuracy, 3.08))
    }

    @Test func `without eph the noise statistics of the same epoch are used`() {
        var filter = FixFilter()
        let gst = GST(time: time(0), latitudeDeviation: 2, longitudeDeviation: 2, receiver: "/dev/one")
        filter.note(gst, at: instant(0))
        #expect(near(filter.consider(0) { $0.eph = nil }.fix?.horizontalAccuracy, 3.02))
        // Statistics of another epoch are not used: this is the last radius, two seconds old.
        #expect(near(filter.consider(2) { $0.eph = nil }.fix?.horizontalAccuracy, 5.02))
    }

    @Test func `without eph the receiver's own dilution is used for 10 seconds`() {
        var filter = FixFilter()
        filter.note(SkyView(hdop: 1.2, receiver: "/dev/one"), at: instant(0))
        filter.note(SkyView(hdop: 9, receiver: "/dev/two"), at: instant(0))
        #expect(near(filter.consider(0) { $0.eph = nil }.fix?.horizontalAccuracy, 14.06))
        // After that it is only the last radius, eleven seconds old.
        #expect(near(filter.consider(11) { $0.eph = nil }.fix?.horizontalAccuracy, 25.06))
    }

    @Test func `with differential corrections a dilution counts a quarter`() {
        var filter = FixFilter()
        filter.note(SkyView(hdop: 1.2, receiver: "/dev/one"), at: instant(0))
        let verdict = filter.consider(0) {
            $0.eph = nil
            $0.status = 2
        }
        #expect(near(verdict.fix?.horizontalAccuracy, 3.52))
    }

    @Test(arguments: [99.99, 0, -1, .nan])
    func `a meaningless dilution is ignored`(_ hdop: Double) {
        var filter = FixFilter()
        filter.note(SkyView(hdop: hdop, receiver: "/dev/one"), at: instant(0))
        #expect(filter.consider(0) { $0.eph = nil }.reason == .noAccuracy)
    }

    @Test func `an incomplete first report is not delivered and the complete one of its epoch is`() {
        var filter = FixFilter()
        #expect(filter.consider(0) { $0.eph = nil }.reason == .noAccuracy)
        #expect(near(filter.consider(0).fix?.horizontalAccuracy, 6.167))
    }

    @Test func `a receiver that never reports its accuracy counts as 120 metres after 3 epochs`() {
        var filter = FixFilter()
        for second in 0..<3 {
            #expect(filter.consider(Double(second)) { $0.eph = nil }.reason == .noAccuracy)
            #expect(filter.consider(Double(second)) { $0.eph = nil }.reason == .noAccuracy)
        }
        #expect(filter.consider(3) { $0.eph = nil }.fix?.horizontalAccuracy == 120)
        #expect(filter.consider(4) { $0.eph = nil }.fix?.horizontalAccuracy == 120)
        #expect(filter.assumedAccuracies == 2)
    }

    @Test func `a receiver that never reports its accuracy is never believed if none may be assumed`() {
        var limits = FixFilter.Limits()
        limits.assumedAccuracy = nil
        var filter = FixFilter(limits: limits)
        for second in 0..<20 {
            #expect(filter.consider(Double(second)) { $0.eph = nil }.reason == .noAccuracy)
        }
    }

    @Test func `an occasional accuracy is reused, growing by a metre each second`() {
        var filter = FixFilter()
        #expect(near(filter.consider(0).fix?.horizontalAccuracy, 6.17))
        #expect(near(filter.consider(1) { $0.eph = nil }.fix?.horizontalAccuracy, 7.17))
        #expect(near(filter.consider(17) { $0.eph = nil }.fix?.horizontalAccuracy, 23.17))
        #expect(filter.bridgedAccuracies == 2)
        #expect(near(filter.consider(18).fix?.horizontalAccuracy, 6.17))
        #expect(near(filter.consider(60) { $0.eph = nil }.fix?.horizontalAccuracy, 48.17))
        #expect(filter.consider(200) { $0.eph = nil }.fix?.horizontalAccuracy == 120)
        #expect(filter.assumedAccuracies == 1)
    }

    @Test func `a reused accuracy grows by a tenth of the distance during dead reckoning`() {
        var filter = FixFilter()
        #expect(filter.consider(0).fix != nil)
        let reckoned = filter.consider(10) { ($0.eph, $0.status, $0.speed) = (nil, 5, 30) }
        #expect(near(reckoned.fix?.horizontalAccuracy, 46.17))
    }

    @Test func `a reused accuracy never improves`() {
        var filter = FixFilter()
        #expect(filter.consider(0) { $0.eph = 1000 }.fix != nil)
        #expect(near(filter.consider(1) { $0.eph = nil }.fix?.horizontalAccuracy, 616.73))
        #expect(near(filter.consider(100) { $0.eph = nil }.fix?.horizontalAccuracy, 616.73))
    }

    @Test func `the first report is not delivered if the second one usually has the accuracy`() {
        var filter = FixFilter()
        for second in 0..<20 {
            let time = Double(second)
            #expect(filter.consider(time) { $0.eph = nil }.reason == .noAccuracy)
            #expect(filter.consider(report(time), at: instant(time + 0.3)).fix != nil)
        }
        // The receiver stops reporting it: one epoch is rejected while it is expected.
        #expect(filter.consider(20) { $0.eph = nil }.reason == .noAccuracy)
        #expect(filter.consider(21) { $0.eph = nil }.fix != nil)
    }

    @Test func `an error too large to be of use is not reused`() {
        var filter = FixFilter()
        #expect(filter.consider(0).fix != nil)
        #expect(filter.consider(1) { $0.eph = 200_000 }.reason == .implausibleAccuracy)
        #expect(near(filter.consider(2) { $0.eph = nil }.fix?.horizontalAccuracy, 8.17))
    }

    @Test func `an error of more than 100 kilometres is no fix`() {
        var filter = FixFilter()
        #expect(filter.consider(0) { $0.eph = 200_000 }.reason == .implausibleAccuracy)
    }

    @Test func `the factors follow from their definitions`() {
        // √(−2 ln 0.32) and √(−2 ln 0.05); the normal distribution's quantiles of 0.84 and 0.975.
        #expect(abs(Confidence.horizontal - 1.509_592_185 / 2.447_746_831) < 1e-7)
        #expect(abs(Confidence.linear - 0.994_457_883 / 1.959_963_985) < 1e-7)
        #expect(abs(Confidence.radius(deviations: 1, 1) - 1.509_592_2) < 1e-7)
    }
}
