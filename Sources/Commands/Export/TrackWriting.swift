import Location

/// Writes positions one by one as a file of some format: what each step adds to it.
protocol TrackWriting {
    /// What the file begins with.
    mutating func begin() -> String
    /// One more position.
    mutating func add(_ position: Position) -> String
    /// The next position does not follow from the last one: reception was lost, or time went back.
    mutating func interrupt() -> String
    /// What the file ends with.
    mutating func end() -> String
}

/// The formats that positions are exported in.
enum TrackFormat: String, CaseIterable {
    case gpx, geojson, kml, csv

    /// A writer of a new file.
    func writer() -> any TrackWriting {
        switch self {
        case .gpx: GPXTrack()
        case .geojson: GeoJSONTrack()
        case .kml: KMLTrack()
        case .csv: CSVTrack()
        }
    }

    /// The format that a file's name stands for, by its extension.
    init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        self.init(rawValue: fileName[fileName.index(after: dot)...].lowercased())
    }
}

/// Text within XML, XML 1.0 section 2.4.
enum XMLText {
    /// The text with markup escaped, and without the characters that XML has no way to write.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: continue
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A position's time as xsd:dateTime; nil where no calendar reaches it.
    static func time(_ position: Position) -> String? { ZonedTime(position.timestamp, in: .utc)?.iso8601 }
}
