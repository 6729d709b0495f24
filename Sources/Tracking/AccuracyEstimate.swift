import Location

/// The horizontal accuracy of a position, derived from the values that the receiver and gpsd report.
///
/// The first of these sources that is available, as the 68 % radius:
///
/// | source                                | radius in metres                       | example                        |
/// | ------------------------------------- | -------------------------------------- | ------------------------------ |
/// | `eph`                                 | 0.6167 · eph                           | eph 10: 6.17                   |
/// | `epx` and `epy`                       | 0.6167 · √(epx² + epy²)                | 3 and 4: 3.08                  |
/// | `GST` of the same epoch               | 1.5096 · √((σ₁² + σ₂²) / 2)            | 2 and 2: 3.02                  |
/// | `SKY` of the last 10 s, `hdop`        | 0.6167 · hdop · 19, with DGPS · 4.75   | 1.2: 14.1                      |
/// | a receiver that never reports any     | 0.6167 · 10 · 19, rounded up: 120      | any: 120                       |
///
/// √(epx² + epy²) is what gpsd itself once called eph. It gives 1.13 times the exact radius for a circle and 1.22 times
/// that of the narrowest ellipse, so it never understates the error. gpsd 3.22 itself multiplies hdop by 19 m or 4.75 m
/// for eph. The last row is for receivers that report positions and nothing else: gpsd and receivers stop calling a
/// position a fix before a dilution of 10. It is used only after 3 epochs without any of these values, so that a
/// receiver whose first report is incomplete is not mistaken for one that never reports them.
struct AccuracyEstimate {
    /// gpsd's user equivalent range errors, metres at 95 %.
    static let rangeError = 19.0
    static let correctedRangeError = 4.75
    /// A dilution from here on means that the receiver does not know it: gpsd and NMEA use 99.
    static let meaninglessDilution = 50.0
    static let skyLifetime: UInt64 = 10_000_000_000
    /// No radius is smaller than a millimetre: 0 would mean that the position is exact.
    static let smallestRadius = 0.001

    /// The 68 % radius in metres, or nil if no source is available.
    static func radius(of tpv: TPV, at time: UTCTime, gst: GST?, sky: SkyView?) -> Double? {
        let radius =
            fromEPH(tpv) ?? fromAxes(tpv) ?? gst.flatMap { fromNoise($0, at: time) }
            ?? sky.flatMap { fromDilution($0, status: tpv.status) }
        return radius.map { max($0, smallestRadius) }
    }

    private static func fromEPH(_ tpv: TPV) -> Double? {
        positive(tpv.eph).map { Confidence.horizontal * $0 }
    }

    private static func fromAxes(_ tpv: TPV) -> Double? {
        guard let epx = positive(tpv.epx), let epy = positive(tpv.epy) else { return nil }
        return Confidence.horizontal * (epx * epx + epy * epy).squareRoot()
    }

    private static func fromNoise(_ gst: GST, at time: UTCTime) -> Double? {
        guard let epoch = gst.time, abs(epoch.seconds(since: time)) <= 1 else { return nil }
        if let north = positive(gst.latitudeDeviation), let east = positive(gst.longitudeDeviation) {
            return Confidence.radius(deviations: north, east)
        }
        guard let major = positive(gst.majorDeviation), let minor = positive(gst.minorDeviation) else { return nil }
        return Confidence.radius(deviations: major, minor)
    }

    private static func fromDilution(_ sky: SkyView, status: Int) -> Double? {
        guard let hdop = positive(sky.hdop), hdop < meaninglessDilution else { return nil }
        // DGPS and both kinds of RTK.
        let error = (2...4).contains(status) ? correctedRangeError : rangeError
        return Confidence.horizontal * hdop * error
    }

    /// Discards an estimate of 0 or less, or that is not a finite number.
    static func positive(_ value: Double?) -> Double? {
        value.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
    }
}
