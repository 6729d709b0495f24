import Interfaces
import JSONText
import Location
import Varlink

/// GeoJSON, RFC 7946: a collection with a point for each position.
struct GeoJSONTrack: TrackWriting {
    private var features = GeoJSONFeatures()

    mutating func begin() -> String { features.begin() }

    mutating func add(_ position: Position) -> String {
        guard let time = XMLText.time(position) else { return "" }
        // Rounded to centimetres in degrees, to millimetres, and to millimetres per second.
        func thousandth(_ value: Double?) -> Double? { value?.rounded(toDigits: 3) }
        return features.add { writer in
            writer.object("geometry") { writer in
                writer.member("type", "Point")
                writer.array("coordinates") { writer in
                    writer.number(position.coordinate.longitude.rounded(toDigits: 7))
                    writer.number(position.coordinate.latitude.rounded(toDigits: 7))
                    // RFC 7946 section 3.1.1: heights are above the ellipsoid.
                    if let height = position.ellipsoidalAltitude, height.isFinite {
                        writer.number(height.rounded(toDigits: 3))
                    }
                }
            }
            writer.object("properties") { writer in
                writer.member("time", time)
                writer.member("horizontalAccuracy", thousandth(position.horizontalAccuracy))
                writer.member("altitude", thousandth(position.altitude))
                writer.member("verticalAccuracy", thousandth(position.verticalAccuracy))
                writer.member("speed", thousandth(position.speed))
                writer.member("course", thousandth(position.course))
                writer.member("climb", thousandth(position.climb))
                writer.member("accuracy", position.accuracy.rawValue)
                writer.member("isSimulated", position.isSimulated)
                writer.member("quality", position.quality?.rawValue)
                if position.timestampSource != .receiver {
                    writer.member("timestampSource", position.timestampSource.rawValue)
                }
            }
        }
    }

    mutating func interrupt() -> String { "" }

    mutating func end() -> String { features.end() }
}

/// A feature collection, one feature on a line.
struct GeoJSONFeatures {
    private var isEmpty = true

    func begin() -> String { "{\"type\":\"FeatureCollection\",\"features\":[\n" }

    /// A feature with the members that the body writes beside its type.
    mutating func add(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("type", "Feature")
            body(&writer)
        }
        defer { isEmpty = false }
        return (isEmpty ? "" : ",\n") + String(decoding: writer.bytes, as: UTF8.self)
    }

    func end() -> String { "\n]}\n" }
}
