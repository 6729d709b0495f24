import Interfaces
import JSONText
import Varlink

/// Writes the journal's events as a file. Events have no place, so only formats that allow this are supported.
enum EventExport {
    case csv
    case geojson(GeoJSONFeatures)

    /// A new file of this format; nil where the format requires a place.
    init?(_ format: TrackFormat) {
        switch format {
        case .csv: self = .csv
        case .geojson: self = .geojson(GeoJSONFeatures())
        case .gpx, .kml: return nil
        }
    }

    func begin() -> String {
        switch self {
        case .csv: CSVText.line(["sequence", "time", "kind", "app", "user", "details"])
        case .geojson(let features): features.begin()
        }
    }

    mutating func add(_ event: JournalEntry) -> String {
        let time = ZonedTime(event.time, in: .utc)?.iso8601 ?? ""
        let details = event.details
        switch self {
        case .csv:
            return CSVText.line([
                String(event.sequence), time, event.kind.rawValue, event.app ?? "", event.user.map { String($0) } ?? "",
                event.details == .emptyObject ? "" : details.description,
            ])
        case .geojson(var features):
            defer { self = .geojson(features) }
            return features.add { writer in
                writer.member("geometry", .null)
                writer.object("properties") { writer in
                    writer.member("sequence", event.sequence)
                    writer.member("time", time)
                    writer.member("kind", event.kind.rawValue)
                    writer.member("app", event.app)
                    writer.member("user", event.user)
                    writer.member("details", details)
                }
            }
        }
    }

    func end() -> String {
        switch self {
        case .csv: ""
        case .geojson(let features): features.end()
        }
    }
}
