import Glibc
import Location

/// A part of the Earth's surface whose border is monitored: a circle, a polygon or a corridor.
///
/// Lines between points are shortest lines on the WGS 84 ellipsoid, also across the antimeridian and near a pole, so that a
/// long border along a parallel needs further points on the parallel. Its shape is validated when a region is made: there is
/// no invalid value. `signedDistance(to:)` is exact to 0.1 % or 1 m, whichever is more, except at the bends of a corridor.
public struct Region: Equatable, Sendable {
    /// What a region was made of.
    public enum Shape: Equatable, Sendable {
        /// All within the radius in metres of a centre.
        case circle(center: Coordinate, radius: Double)
        /// All within the first ring, but not within the others, which are holes. The direction of a ring is of no
        /// importance, and its first point may be repeated at its end. Inside is the smaller of the two parts into which a
        /// ring divides the Earth.
        case polygon(rings: [[Coordinate]])
        /// All points that are not farther than the half width, in metres, from a line.
        case corridor(line: [Coordinate], halfWidth: Double)
    }

    /// The permitted radii of a circle in metres.
    public static let radii = 1.0...5_000_000
    /// The permitted half widths of a corridor in metres.
    public static let halfWidths = 1.0...1_000_000
    /// The most points of all rings together, or of a line.
    public static let maximumPoints = 10_000
    /// The greatest length of all lines of a region together, in metres.
    public static let longestBorder = 1_000_000_000.0
    /// The greatest distance between two neighbouring points of a line, in metres. The limit is half of the distance at which
    /// there is more than one shortest line.
    public static let farthestNeighbours = 10_000_000.0
    /// The length of a chord, in metres, above which exact distances are compared. Below it, the point of the border with the
    /// shortest chord is at most 0.1 % farther on the ellipsoid than the nearest point.
    private static let farChord = 3_000_000.0

    /// What the region was made of.
    public let shape: Shape
    /// The region's lines: the rings of a polygon, the line of a corridor.
    private let lines: [BorderLine]
    private let area: PolygonArea?
    /// The centre of a circle.
    private let center: SurfacePoint?
    /// A box that contains the whole region.
    public let bounds: Bounds

    /// Validates a shape.
    public init(_ shape: Shape) throws(RegionError) {
        self.shape = shape
        switch shape {
        case .circle(let center, let radius):
            guard Self.radii.contains(radius) else { throw RegionError(.radiusOutOfRange) }
            (lines, area) = ([], nil)
            let point = SurfacePoint(center)
            self.center = point
            bounds = Bounds(containing: [point]).expanded(by: radius)
        case .polygon(let rings):
            let polygon = try PolygonArea.validated(rings)
            (lines, area, center) = (polygon.lines, polygon.area, nil)
            bounds = polygon.area.bounds(of: polygon.lines)
        case .corridor(let line, let halfWidth):
            guard Self.halfWidths.contains(halfWidth) else { throw RegionError(.halfWidthOutOfRange) }
            guard line.count <= Self.maximumPoints else { throw RegionError(.tooManyPoints) }
            guard let first = line.first, line.contains(where: { $0 != first }) else {
                throw RegionError(.tooFewPoints)
            }
            var remaining = Self.longestBorder
            let border = try BorderLine(through: line, ring: nil, remaining: &remaining)
            (lines, area, center) = ([border], nil, nil)
            bounds = Bounds(containing: border.points).expanded(by: halfWidth + BorderLine.rise)
        }
    }

    /// Makes a coordinate of a shape. The error of an invalid one names this ring and point.
    public static func coordinate(
        latitude: Double, longitude: Double, ring: Int? = nil, point: Int? = nil
    ) throws(RegionError) -> Coordinate {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw RegionError(.coordinateOutOfRange, ring: ring, point: point)
        }
        return coordinate
    }

    /// A circle of this radius in metres.
    public static func circle(_ center: Coordinate, radius: Double) throws(RegionError) -> Region {
        try Region(.circle(center: center, radius: radius))
    }

    /// The number of points from which the region was made. Its size in memory and the time for a distance grow with it.
    public var pointCount: Int {
        switch shape {
        case .circle: 1
        case .polygon(let rings): rings.reduce(0) { $0 + $1.count }
        case .corridor(let line, _): line.count
        }
    }

    /// Metres on the ellipsoid from a coordinate to the border: negative inside, positive outside.
    public func signedDistance(to coordinate: Coordinate) -> Double { signedDistance(to: SurfacePoint(coordinate)) }

    /// Metres on the ellipsoid from a point of it to the border: negative inside, positive outside.
    ///
    /// In a corridor, this is the distance to the line less the half width: at a bend the border may be farther away.
    public func signedDistance(to point: SurfacePoint) -> Double {
        switch shape {
        case .circle(_, let radius): (center?.distance(to: point) ?? .infinity) - radius
        case .polygon: lineDistance(to: point) * (area?.contains(point) == true ? -1 : 1)
        case .corridor(_, let halfWidth): lineDistance(to: point) - halfWidth
        }
    }

    private func lineDistance(to point: SurfacePoint) -> Double {
        var found: (point: SurfacePoint, chord: Double)?
        for line in lines {
            if let nearer = line.nearest(to: point, within: found?.chord ?? .infinity) { found = nearer }
        }
        // A polygon and a corridor have a line, and the nearest point of a line is found.
        guard let nearest = found else { return .infinity }
        guard nearest.chord > Self.farChord else { return nearest.point.distance(to: point) }
        // Far away, the shortest chord may lead to another point than the shortest line on the flattened Earth: all
        // points are compared whose distance on a sphere is nearly the least.
        let limit = Self.arc(of: nearest.chord) * 1.01
        var least = nearest.point.distance(to: point)
        for line in lines {
            for candidate in line.points where Self.arc(of: candidate.chord(to: point)) <= limit {
                least = min(least, candidate.distance(to: point))
            }
        }
        return least
    }

    /// Metres of the arc over a chord, on a sphere.
    private static func arc(of chord: Double) -> Double {
        let diameter = 2 * Coordinate.meanEarthRadius
        return diameter * asin(min(1, chord / diameter))
    }
}
