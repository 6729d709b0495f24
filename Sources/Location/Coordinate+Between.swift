extension Coordinate {
    /// The point at a share, 0…1, of the line to another one, for points that are not far from each other: the share of both
    /// degrees, over the antimeridian where that is shorter.
    public func moved(towards other: Coordinate, by share: Double) -> Coordinate {
        var east = other.longitude - longitude
        if east > 180 { east -= 360 }
        if east < -180 { east += 360 }
        var longitude = longitude + east * share
        if longitude > 180 { longitude -= 360 }
        if longitude < -180 { longitude += 360 }
        return Coordinate(
            clampedLatitude: latitude + (other.latitude - latitude) * share, clampedLongitude: longitude)
    }
}
