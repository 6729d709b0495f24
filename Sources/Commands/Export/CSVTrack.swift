import Location

/// Comma-separated values with a header, RFC 4180.
struct CSVTrack: TrackWriting {
    mutating func begin() -> String {
        CSVText.line([
            "time", "latitude", "longitude", "horizontal_accuracy_m", "altitude_m", "ellipsoidal_altitude_m",
            "vertical_accuracy_m", "speed_m_s", "speed_accuracy_m_s", "course_deg", "course_accuracy_deg", "climb_m_s",
            "accuracy", "simulated", "quality", "timestamp_source",
        ])
    }

    mutating func add(_ position: Position) -> String {
        guard let time = XMLText.time(position) else { return "" }
        // Three decimals are a millimetre or a millimetre per second; two of a course are a hundredth of a degree.
        func number(_ value: Double?, _ digits: Int = 3) -> String { value.map { $0.fixed(digits) } ?? "" }
        return CSVText.line([
            time, position.coordinate.latitude.fixed(7), position.coordinate.longitude.fixed(7),
            number(position.horizontalAccuracy), number(position.altitude), number(position.ellipsoidalAltitude),
            number(position.verticalAccuracy), number(position.speed), number(position.speedAccuracy),
            number(position.course, 2), number(position.courseAccuracy, 2), number(position.climb),
            position.accuracy.rawValue, position.isSimulated ? "true" : "false", position.quality?.rawValue ?? "",
            position.timestampSource.rawValue,
        ])
    }

    mutating func interrupt() -> String { "" }
    mutating func end() -> String { "" }
}

/// Fields of RFC 4180.
enum CSVText {
    /// A record with its end.
    static func line(_ fields: [String]) -> String {
        fields.map(field).joined(separator: ",") + "\r\n"
    }

    /// A field, quoted where it has a comma, a quotation mark or a line end. A text that a spreadsheet would interpret
    /// as a formula gets an apostrophe in front; numbers are unchanged.
    private static func field(_ text: String) -> String {
        var text = text
        if let first = text.first, "=+-@\t\r".contains(first), Double(text) == nil { text = "'" + text }
        // Compares scalars, because a carriage return and a line feed together are one character that equals neither.
        guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
