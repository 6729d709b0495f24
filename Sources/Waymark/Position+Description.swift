import Interfaces
import Location

extension Coordinate: CustomStringConvertible {
    /// Latitude and longitude in degrees, such as `47.5800210, 21.1201068`: the last digit is a centimetre.
    public var description: String { "\(latitude.fixed(7)), \(longitude.fixed(7))" }
}

extension Position: CustomStringConvertible {
    /// The position for a person, such as `47.5800210, 21.1201068 ± 9.7 m, altitude 86.6 m, speed 5.4 m/s, course 77°,
    /// 2026-06-01T08:00:09Z, simulated`: the known values, in the units of the properties.
    public var description: String {
        var parts = ["\(coordinate) ± \(horizontalAccuracy.fixed(1)) m"]
        if let altitude { parts.append("altitude \(altitude.fixed(1)) m") }
        if let speed { parts.append("speed \(speed.fixed(1)) m/s") }
        if let course { parts.append("course \(course.fixed(0))°") }
        if let time = UTCTime(secondsSinceEpoch: timestamp) { parts.append(time.iso8601()) }
        if accuracy == .reduced { parts.append("reduced accuracy") }
        if isSimulated { parts.append("simulated") }
        return parts.joined(separator: ", ")
    }
}

extension LocationUpdate: CustomStringConvertible {
    /// The position, or why there is none: `no position (noFix)`.
    public var description: String {
        var parts = [position?.description ?? "no position"]
        let reasons = diagnostics.map(\.rawValue) + (authorizationStatus == .notDetermined ? ["notDetermined"] : [])
        if !reasons.isEmpty { parts.append("(\(reasons.joined(separator: ", ")))") }
        return parts.joined(separator: " ")
    }
}
