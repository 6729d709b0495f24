import Location

/// KML 2.2 with Google's gx:MultiTrack (OGC 07-147r2; schema kml22gx.xsd): times first, then as many coordinates.
struct KMLTrack: TrackWriting {
    private var times: [String] = []
    private var coordinates: [String] = []
    private var hasAltitude = false

    /// A longer track is written in parts, so that memory stays bounded.
    private static let mostPoints = 10_000

    mutating func begin() -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
        <Document>
        <name>Waymark</name>
        <Placemark>
        <name>Track</name>
        <gx:MultiTrack>

        """
    }

    mutating func add(_ position: Position) -> String {
        guard let time = XMLText.time(position) else { return "" }
        var finished = ""
        if times.count == Self.mostPoints || (position.altitude != nil) != hasAltitude { finished = interrupt() }
        hasAltitude = position.altitude != nil
        times.append(time)
        let (latitude, longitude) = (position.coordinate.latitude.fixed(7), position.coordinate.longitude.fixed(7))
        coordinates.append("\(longitude) \(latitude) \((position.altitude ?? 0).fixed(2))")
        return finished
    }

    mutating func interrupt() -> String {
        guard !times.isEmpty else { return "" }
        defer {
            times.removeAll(keepingCapacity: true)
            coordinates.removeAll(keepingCapacity: true)
        }
        // KML's absolute altitudes are above mean sea level; a track without altitudes is clamped to the ground.
        let mode = hasAltitude ? "absolute" : "clampToGround"
        let lines =
            ["<gx:Track>", "<altitudeMode>\(mode)</altitudeMode>"] + times.map { "<when>\($0)</when>" }
            + coordinates.map { "<gx:coord>\($0)</gx:coord>" } + ["</gx:Track>"]
        return lines.joined(separator: "\n") + "\n"
    }

    mutating func end() -> String {
        interrupt() + "</gx:MultiTrack>\n</Placemark>\n</Document>\n</kml>\n"
    }
}
