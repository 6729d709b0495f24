import Location

/// The true states of a recording as comma-separated values, for comparison with a reader's results.
public enum TruthTable {
    /// The first line: the names of the columns. Units: ISO 8601, degrees, degrees, m/s, degrees, m.
    public static let header = "time,lat,lon,speed,course,altitude\n"

    /// The line of one epoch.
    public static func line(of epoch: Recording.Epoch) -> String {
        let truth = epoch.truth
        let columns = [
            epoch.time.iso8601(fraction: 3), Decimal.text(truth.latitude, fraction: 8),
            Decimal.text(truth.longitude, fraction: 8), Decimal.text(truth.speed, fraction: 3),
            Decimal.text(truth.course, fraction: 2), Decimal.text(truth.altitude, fraction: 2),
        ]
        return columns.joined(separator: ",") + "\n"
    }
}
