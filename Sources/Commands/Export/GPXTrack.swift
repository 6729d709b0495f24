import Interfaces
import Location

/// GPX 1.1, https://www.topografix.com/GPX/1/1/: one track, a segment for each stretch without interruption.
struct GPXTrack: TrackWriting {
    private var hasPoints = false

    mutating func begin() -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Waymark \(XMLText.escaped(WaymarkVersion.text))" \
        xmlns="http://www.topografix.com/GPX/1/1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
        xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd">
        <trk>
        <trkseg>

        """
    }

    /// The elements of a point are in the order of the schema.
    mutating func add(_ position: Position) -> String {
        guard let time = XMLText.time(position) else { return "" }
        hasPoints = true
        let (latitude, longitude) = (position.coordinate.latitude.fixed(7), position.coordinate.longitude.fixed(7))
        var point = "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\">"
        if let altitude = position.altitude { point += "<ele>\(altitude.fixed(2))</ele>" }
        point += "<time>\(time)</time>"
        if let altitude = position.altitude, let ellipsoidal = position.ellipsoidalAltitude {
            point += "<geoidheight>\((ellipsoidal - altitude).fixed(2))</geoidheight>"
        }
        if position.isSimulated { point += "<src>simulated</src>" }
        let dimensions = position.altitude == nil && position.ellipsoidalAltitude == nil ? "2d" : "3d"
        point += "<fix>\(position.quality == .dgps ? "dgps" : dimensions)</fix>"
        return point + "</trkpt>\n"
    }

    mutating func interrupt() -> String {
        guard hasPoints else { return "" }
        hasPoints = false
        return "</trkseg>\n<trkseg>\n"
    }

    mutating func end() -> String { "</trkseg>\n</trk>\n</gpx>\n" }
}
