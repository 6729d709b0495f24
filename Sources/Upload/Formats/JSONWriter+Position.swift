import JSONText
import Location

extension JSONWriter {
    /// Lends an empty buffer to a writer of JSON, so that neither copies it.
    static func write(into body: inout [UInt8], _ contents: (inout JSONWriter) -> Void) {
        let taken = consume body
        body = []
        var writer = JSONWriter(continuing: consume taken)
        contents(&writer)
        body = writer.bytes
    }

    /// A Point of RFC 7946, with its height above the ellipsoid in metres where one is given (section 3.1.1).
    mutating func member(_ name: String, pointOf position: Position, height: Double? = nil) {
        object(name) { writer in
            writer.member("type", "Point")
            writer.array("coordinates") { writer in
                writer.number(position.coordinate.longitude)
                writer.number(position.coordinate.latitude)
                if let height, height.isFinite { writer.number(height) }
            }
        }
    }
}
