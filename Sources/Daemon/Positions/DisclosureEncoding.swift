import Authorization
import JSONText
import Journal
import Location
import Varlink

extension Disclosure {
    /// Writes the `Position` of `io.waymark.Location`. Nothing else writes a coordinate.
    func write(to writer: inout JSONWriter) { position.write(to: &writer) }
}

/// A row of a recording for a reader: a disclosure, made now, of the position that was disclosed to the app when it was
/// recorded.
enum RecordedEncoding {
    /// Writes the `Point` of `io.waymark.Recording`.
    static func write(_ sequence: Int64, _ disclosure: Disclosure, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("sequence", sequence)
            writer.key("position")
            disclosure.write(to: &writer)
        }
    }

    /// Writes the `DeadLetter` of `io.waymark.Recording`.
    static func write(_ letter: DeadLetter, _ disclosure: Disclosure, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("sequence", letter.sequence)
            writer.key("position")
            disclosure.write(to: &writer)
            writer.member("status", letter.status)
            writer.member("message", letter.message)
            writer.member("rejectedAt", letter.rejectedAt.secondsSinceEpoch)
        }
    }
}

extension Position {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("timestamp", timestamp)
            writer.member("latitude", coordinate.latitude)
            writer.member("longitude", coordinate.longitude)
            writer.member("horizontalAccuracy", horizontalAccuracy)
            writer.member("altitude", altitude)
            writer.member("ellipsoidalAltitude", ellipsoidalAltitude)
            writer.member("verticalAccuracy", verticalAccuracy)
            writer.member("speed", speed)
            writer.member("speedAccuracy", speedAccuracy)
            writer.member("course", course)
            writer.member("courseAccuracy", courseAccuracy)
            writer.member("climb", climb)
            writer.member("accuracy", accuracy.rawValue)
            writer.member("isSimulated", isSimulated)
            writer.member("quality", quality?.rawValue)
            if timestampSource != .receiver { writer.member("timestampSource", timestampSource.rawValue) }
        }
    }
}

extension VisitDisclosure {
    /// Writes the `Visit` of `io.waymark.Location`.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("latitude", visit.coordinate.latitude)
            writer.member("longitude", visit.coordinate.longitude)
            writer.member("horizontalAccuracy", max(0.001, (visit.horizontalAccuracy * 1_000).rounded() / 1_000))
            writer.member("arrival", visit.arrival?.secondsSinceEpoch)
            writer.member("departure", visit.departure?.secondsSinceEpoch)
            writer.member("isSimulated", visit.isSimulated)
        }
    }
}

extension HeadingDisclosure {
    /// Writes the `Heading` of `io.waymark.Location`.
    func write(to writer: inout JSONWriter) {
        func thousandth(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
        func direction(_ value: Double) -> Double { thousandth(value) < 360 ? thousandth(value) : 0 }
        writer.object { writer in
            writer.member("timestamp", heading.time.secondsSinceEpoch)
            writer.member("trueHeading", heading.trueHeading.map(direction))
            writer.member("magneticHeading", heading.magneticHeading.map(direction))
            writer.member("headingAccuracy", heading.headingAccuracy.map { max(0.001, thousandth($0)) })
            writer.member("declination", heading.declination.map(thousandth))
            writer.member("pitch", heading.pitch.map(thousandth))
            writer.member("roll", heading.roll.map(thousandth))
            writer.member("isSimulated", heading.isSimulated)
        }
    }
}

extension SkyDisclosure {
    /// Writes the `Sky` of `io.waymark.Location`.
    func write(to writer: inout JSONWriter) {
        let sky = sky
        writer.object { writer in
            writer.member("time", sky.time?.secondsSinceEpoch)
            writer.array("satellites") { writer in
                for satellite in sky.satellites { satellite.write(to: &writer) }
            }
            writer.member("hdop", sky.hdop)
            writer.member("pdop", sky.pdop)
        }
    }
}

extension Satellite {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("number", number)
            writer.member("constellation", constellation.rawValue)
            writer.member("constellationNumber", constellationNumber)
            writer.member("elevation", elevation)
            writer.member("azimuth", azimuth)
            writer.member("signalToNoise", signalToNoise)
            writer.member("isUsed", isUsed)
        }
    }
}
