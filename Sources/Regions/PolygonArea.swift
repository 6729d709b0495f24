import Glibc
import Location

/// The area of a polygon in the gnomonic projection around its middle: there, the pieces of its border are straight.
struct PolygonArea: Equatable, Sendable {
    /// A point of the projection's plane; a unit is the Earth's radius.
    struct Point: Equatable, Sendable {
        var x: Double
        var y: Double
    }

    /// The cosine of the angle from the middle beyond which nothing is projected: a polygon reaches 45°.
    private static let horizon = 0.5

    private let middle: SurfacePoint
    private let east: SurfacePoint
    private let north: SurfacePoint
    private let rings: [[Point]]

    /// Validates rings and returns their border and their area.
    static func validated(_ rings: [[Coordinate]]) throws(RegionError) -> (lines: [BorderLine], area: PolygonArea) {
        guard rings.reduce(0, { $0 + $1.count }) <= Region.maximumPoints else { throw RegionError(.tooManyPoints) }
        guard !rings.isEmpty else { throw RegionError(.tooFewPoints) }
        var lines: [BorderLine] = []
        var corners: [[SurfacePoint]] = []
        var remaining = Region.longestBorder
        for (number, ring) in rings.enumerated() {
            // GeoJSON repeats the first point at the end of a ring; other sources leave it out.
            let open = ring.count > 1 && ring.first == ring.last ? Array(ring.dropLast()) : ring
            guard let first = open.first, Set(open).count >= 3 else {
                throw RegionError(.degenerateRing, ring: number)
            }
            lines.append(try BorderLine(through: open + [first], ring: number, remaining: &remaining))
            corners.append((open + [first]).map(SurfacePoint.init))
        }
        let area = PolygonArea(lines)
        // Twice a square metre, in the projection's units.
        let smallest = 2 / (Geodesic.semiMajorAxis * Geodesic.semiMajorAxis)
        let tooFar = cos(Region.radii.upperBound / Geodesic.semiMinorAxis)
        for (number, ring) in corners.enumerated() {
            if let point = ring.firstIndex(where: { area.cosine(to: $0) < tooFar }) {
                throw RegionError(.tooLarge, ring: number, point: point)
            }
        }
        let projected = corners.map { $0.map(area.project) }
        // Before the areas, because the two halves of a ring that crosses itself can have the same one, of opposite sign.
        if let crossing = EdgeCrossing.first(in: projected) {
            throw RegionError(
                .crossing(ring: crossing.other.ring, point: crossing.other.point), ring: crossing.edge.ring,
                point: crossing.edge.point)
        }
        for (number, ring) in projected.enumerated() {
            guard abs(Self.doubleArea(ring)) >= smallest else { throw RegionError(.degenerateRing, ring: number) }
        }
        try area.checkHoles()
        return (lines, area)
    }

    private init(_ lines: [BorderLine]) {
        middle = Self.middle(of: lines)
        (east, north) = middle.perpendicularAxes
        var area: [[Point]] = []
        for line in lines {
            area.append(line.points.map { [middle, east, north] in Self.project($0, middle, east, north) })
        }
        rings = area
    }

    /// Whether a point of the surface is inside the first ring and in no other.
    func contains(_ point: SurfacePoint) -> Bool {
        guard cosine(to: point) > Self.horizon else { return false }
        let projected = project(point)
        return rings.reduce(false) { $0 != Self.contains(projected, in: $1) }
    }

    /// A box around the area. Between the border, the surface is farthest along an axis at the border, or where the
    /// axis leaves the Earth.
    func bounds(of lines: [BorderLine]) -> Bounds {
        var bounds = Bounds(containing: lines.flatMap(\.points)).expanded(by: BorderLine.rise)
        let axes = [
            SurfacePoint(x: 1, y: 0, z: 0), SurfacePoint(x: 0, y: 1, z: 0), SurfacePoint(x: 0, y: 0, z: 1),
        ]
        for axis in axes.flatMap({ [$0, $0 * -1] }) where contains(axis.onSurface) { bounds.include(axis.onSurface) }
        return bounds
    }

    /// Holes are inside the border and not in each other. A hole may touch another ring at a point, so that most of its
    /// points decide.
    private func checkHoles() throws(RegionError) {
        for (number, hole) in rings.enumerated().dropFirst() {
            for (other, ring) in rings.enumerated() where other != number {
                let inside = hole.count { Self.contains($0, in: ring) }
                guard (other == 0) == (inside * 2 > hole.count) else {
                    throw RegionError(.misplacedHole, ring: number)
                }
            }
        }
    }

    private func cosine(to point: SurfacePoint) -> Double { point.dot(middle) / (point.length * middle.length) }

    private func project(_ point: SurfacePoint) -> Point { Self.project(point, middle, east, north) }

    private static func project(
        _ point: SurfacePoint, _ middle: SurfacePoint, _ east: SurfacePoint, _ north: SurfacePoint
    ) -> Point {
        let depth = point.dot(middle)
        return Point(x: point.dot(east) / depth, y: point.dot(north) / depth)
    }

    /// Whether a half line from the point crosses the ring an odd number of times.
    private static func contains(_ point: Point, in ring: [Point]) -> Bool {
        var isInside = false
        for (start, end) in zip(ring, ring.dropFirst()) where (start.y > point.y) != (end.y > point.y) {
            let side = (end.x - start.x) * (point.y - start.y) - (point.x - start.x) * (end.y - start.y)
            if (side > 0) == (end.y > start.y) { isInside.toggle() }
        }
        return isInside
    }

    private static func doubleArea(_ ring: [Point]) -> Double {
        guard let first = ring.first else { return 0 }
        return zip(ring, ring.dropFirst()).reduce(0) { sum, edge in
            sum + (edge.0.x - first.x) * (edge.1.y - first.y) - (edge.1.x - first.x) * (edge.0.y - first.y)
        }
    }

    /// A unit vector to the middle of the smallest circle around the points, to about a percent of its radius: the
    /// middle moves towards the farthest point, in steps that become shorter (Bădoiu and Clarkson, 2003).
    private static func middle(of lines: [BorderLine]) -> SurfacePoint {
        let points = lines.flatMap(\.points)
        let sum = points.reduce(SurfacePoint(x: 0, y: 0, z: 0), +)
        var middle = sum * (1 / Double(max(points.count, 1)))
        for step in 2..<66 {
            var farthest = (point: middle, square: -1.0)
            for point in points {
                let square = (point - middle).dot(point - middle)
                if square > farthest.square { farthest = (point, square) }
            }
            middle = middle + (farthest.point - middle) * (1 / Double(step))
        }
        // The middle of points that surround the Earth is its centre; they are refused as too large from anywhere.
        return middle.length > 1 ? middle * (1 / middle.length) : SurfacePoint(x: 1, y: 0, z: 0)
    }
}
