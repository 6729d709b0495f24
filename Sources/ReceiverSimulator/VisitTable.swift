import Location

/// The true stays of a recording as comma-separated values, to compare what a detector of visits found.
public enum VisitTable {
    /// The first line: the names of the columns. Units: ISO 8601, ISO 8601, degrees, degrees.
    public static let header = "arrival,departure,lat,lon,place\n"

    /// The lines of a scenario. A time is empty where the recording begins, or ends, during the stay.
    public static func lines(of scenario: Scenario) -> [String] {
        scenario.stays.filter { $0.arrival ?? 0 < scenario.duration }.map { stay in
            func text(_ seconds: Double?) -> String {
                guard let seconds, seconds < scenario.duration else { return "" }
                let time = scenario.start.microseconds + Int64((seconds * 1_000_000).rounded())
                return UTCTime(microseconds: time).iso8601(fraction: 3)
            }
            let columns = [
                text(stay.arrival), text(stay.departure), Decimal.text(stay.coordinate.latitude, fraction: 8),
                Decimal.text(stay.coordinate.longitude, fraction: 8), stay.place,
            ]
            return columns.joined(separator: ",") + "\n"
        }
    }
}
