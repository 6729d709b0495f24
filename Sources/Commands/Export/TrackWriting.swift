import Location

/// Writes positions one by one in a file format; each function returns the text to append.
protocol TrackWriting {
    /// The beginning of the file.
    mutating func begin() -> String
    /// One position.
    mutating func add(_ position: Position) -> String
    /// The next position does not follow from the last one: reception was lost, or time went back.
    mutating func interrupt() -> String
    /// The end of the file.
    mutating func end() -> String
}

/// The formats that positions are exported in.
enum TrackFormat: String, CaseIterable {
    case gpx, geojson, kml, csv

    /// A writer for a new file.
    func writer() -> any TrackWriting {
        switch self {
        case .gpx: GPXTrack()
        case .geojson: GeoJSONTrack()
        case .kml: KMLTrack()
        case .csv: CSVTrack()
        }
    }

    /// The format of a file name's extension.
    init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        self.init(rawValue: fileName[fileName.index(after: dot)...].lowercased())
    }
}

/// Text within XML, XML 1.0 section 2.4.
enum XMLText {
    /// The text with markup escaped, and without the characters that XML cannot represent.
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

    /// A position's time as xsd:dateTime; nil for a time outside the years of the calendar.
    static func time(_ position: Position) -> String? { ZonedTime(position.timestamp, in: .utc)?.iso8601 }
}
