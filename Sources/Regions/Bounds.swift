/// A box in metres from the Earth's centre, along the axes of `SurfacePoint`: the key by which regions are found.
///
/// A box of three dimensions has no seam at the antimeridian and none at a pole. The straight distance to it is never
/// more than the distance on the surface to what it contains.
public struct Bounds: Equatable, Sendable {
    /// The corner with the least numbers.
    public var low: SurfacePoint
    /// The corner with the greatest numbers.
    public var high: SurfacePoint

    /// The box with these corners.
    public init(low: SurfacePoint, high: SurfacePoint) {
        (self.low, self.high) = (low, high)
    }

    /// The least box around some points.
    init(containing points: [SurfacePoint]) {
        low = SurfacePoint(x: .infinity, y: .infinity, z: .infinity)
        high = SurfacePoint(x: -.infinity, y: -.infinity, z: -.infinity)
        for point in points { include(point) }
    }

    /// Extends the box to a point.
    mutating func include(_ point: SurfacePoint) {
        low = SurfacePoint(x: min(low.x, point.x), y: min(low.y, point.y), z: min(low.z, point.z))
        high = SurfacePoint(x: max(high.x, point.x), y: max(high.y, point.y), z: max(high.z, point.z))
    }

    /// The box with this many metres more on each side.
    public func expanded(by metres: Double) -> Bounds {
        let margin = SurfacePoint(x: metres, y: metres, z: metres)
        return Bounds(low: low - margin, high: high + margin)
    }

    /// Metres of the straight line from a point to the box; 0 in it.
    public func distance(to point: SurfacePoint) -> Double {
        SurfacePoint(
            x: max(0, low.x - point.x, point.x - high.x), y: max(0, low.y - point.y, point.y - high.y),
            z: max(0, low.z - point.z, point.z - high.z)
        ).length
    }
}
