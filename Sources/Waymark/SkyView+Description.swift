import Location

extension Satellite: CustomStringConvertible {
    /// The satellite for a person, such as `gps 12, elevation 45°, azimuth 120°, 38 dB-Hz, used`: the known values.
    public var description: String {
        var parts = ["\(constellation) \(constellationNumber ?? number)"]
        if let elevation { parts.append("elevation \(elevation.fixed(0))°") }
        if let azimuth { parts.append("azimuth \(azimuth.fixed(0))°") }
        if let signalToNoise { parts.append("\(signalToNoise.fixed(0)) dB-Hz") }
        if isUsed { parts.append("used") }
        return parts.joined(separator: ", ")
    }
}

extension SkyView: CustomStringConvertible {
    /// How many satellites are in view: `12 satellites, 7 of them used`.
    public var description: String {
        "\(satellites.count) \(satellites.count == 1 ? "satellite" : "satellites"), \(satellites.count(where: \.isUsed)) of them used"
    }
}
