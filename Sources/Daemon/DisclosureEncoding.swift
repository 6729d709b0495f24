import Authorization
import Location
import Varlink

extension Disclosure {
    /// Writes the `Position` of `io.waymark.Location`. There is no other function that writes a coordinate.
    func write(to writer: inout JSONWriter) {
        let position = position
        writer.object { writer in
            writer.member("timestamp", position.timestamp)
            writer.member("latitude", position.coordinate.latitude)
            writer.member("longitude", position.coordinate.longitude)
            writer.member("horizontalAccuracy", position.horizontalAccuracy)
            writer.member("altitude", position.altitude)
            writer.member("ellipsoidalAltitude", position.ellipsoidalAltitude)
            writer.member("verticalAccuracy", position.verticalAccuracy)
            writer.member("speed", position.speed)
            writer.member("speedAccuracy", position.speedAccuracy)
            writer.member("course", position.course)
            writer.member("courseAccuracy", position.courseAccuracy)
            writer.member("climb", position.climb)
            writer.member("accuracy", position.accuracy.rawValue)
            writer.member("isSimulated", position.isSimulated)
            writer.member("quality", position.quality?.rawValue)
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
