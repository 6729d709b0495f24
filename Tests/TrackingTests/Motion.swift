import Location

/// A fix so many seconds after noon, so many metres to the north and east of a place in the North Sea.
func fix(
    _ seconds: Double, north: Double = 0, east: Double = 0, accuracy: Double = 5, speed: Double? = nil,
    speedAccuracy: Double? = nil
) throws -> Fix {
    let metersPerDegree = 111_195.0
    let coordinate = Coordinate(
        latitude: 54.5 + north / metersPerDegree, longitude: 3.25 + east / (metersPerDegree * 0.580_703))
    guard let coordinate else { throw NoSuchPlace() }
    return Fix(
        time: time(seconds), receivedAt: instant(seconds).monotonicNanoseconds, coordinate: coordinate,
        horizontalAccuracy: accuracy, speed: speed, speedAccuracy: speedAccuracy)
}

private struct NoSuchPlace: Error {}
