import Location

/// A line of shortest lines on the ellipsoid, as points so near each other that the plane through two of them and the
/// Earth's centre contains the line between them.
///
/// Between points 50 km apart, that plane is at most 17 cm from the shortest line: the surface rises 49 m above the chord,
/// and a plumb line points at most 0.0034 radians past the Earth's centre. For 10 km it is less than a centimetre.
struct BorderLine: Equatable, Sendable {
    /// Metres between two points at most.
    static let longestPiece = 50_000.0
    /// Metres by which the surface rises above the chord of the longest piece, rounded up.
    static let rise = 60.0
    /// Pieces in a block.
    private static let blockSize = 16

    /// The points; a ring ends with its first point.
    let points: [SurfacePoint]
    private let blocks: [Block]

    /// A ball that contains some successive pieces, so that they need not be looked at one by one.
    private struct Block: Equatable, Sendable {
        var middle: SurfacePoint
        var radius: Double
    }

    /// The line through these coordinates; throws the index of the point from which the next is too far away.
    /// `remaining` is the length in metres that is still permitted.
    init(through coordinates: [Coordinate], ring: Int?, remaining: inout Double) throws(RegionError) {
        var points: [SurfacePoint] = []
        points.reserveCapacity(coordinates.count)
        for (index, (start, end)) in zip(coordinates, coordinates.dropFirst()).enumerated() {
            points.append(SurfacePoint(start))
            guard SurfacePoint(start).chord(to: SurfacePoint(end)) > Self.longestPiece * 0.99 else { continue }
            guard let line = Geodesic.line(from: start, to: end), line.length <= Region.farthestNeighbours else {
                throw RegionError(.pointsTooFarApart, ring: ring, point: index)
            }
            remaining -= line.length
            guard remaining >= 0 else { throw RegionError(.borderTooLong, ring: ring, point: index) }
            let pieces = Int((line.length / Self.longestPiece).rounded(.up))
            for piece in 1..<max(pieces, 1) {
                let length = line.length * Double(piece) / Double(pieces)
                points.append(SurfacePoint(Geodesic.end(of: .init(length: length, azimuth: line.azimuth), from: start)))
            }
        }
        if let last = coordinates.last { points.append(SurfacePoint(last)) }
        self.init(points: points)
    }

    /// The line through points that are at most `longestPiece` apart.
    init(points: [SurfacePoint]) {
        self.points = points
        blocks = stride(from: 0, to: max(points.count - 1, 1), by: Self.blockSize).map { start in
            let part = points[start..<min(start + Self.blockSize + 1, points.count)]
            let middle = part.reduce(SurfacePoint(x: 0, y: 0, z: 0), +) * (1 / Double(part.count))
            let radius = part.map { $0.chord(to: middle) }.max() ?? 0
            return Block(middle: middle, radius: radius + Self.rise)
        }
    }

    /// The point of the line that is nearest to a point of the surface, if its chord is shorter than the given one.
    func nearest(to point: SurfacePoint, within limit: Double) -> (point: SurfacePoint, chord: Double)? {
        var best = limit
        var found: SurfacePoint?
        for (index, block) in blocks.enumerated() where block.middle.chord(to: point) - block.radius < best {
            let start = index * Self.blockSize
            for piece in start..<min(start + Self.blockSize, max(points.count - 1, start + 1)) {
                let foot = Self.foot(of: point, on: points[piece], points[min(piece + 1, points.count - 1)])
                let chord = foot.chord(to: point)
                if chord < best { (best, found) = (chord, foot) }
            }
        }
        return found.map { ($0, best) }
    }

    /// The point of a piece that is nearest to a point of the surface: where the perpendicular of the piece's plane
    /// meets it, or the nearer end.
    static func foot(of point: SurfacePoint, on start: SurfacePoint, _ end: SurfacePoint) -> SurfacePoint {
        // Differences first: the product of two vectors to the Earth's centre would be too coarse for short pieces.
        let normal = start.cross(end - start)
        let square = normal.dot(normal)
        let (fromStart, fromEnd) = (point - start, point - end)
        let nearer = fromStart.dot(fromStart) <= fromEnd.dot(fromEnd) ? start : end
        guard square > 0 else { return nearer }
        let projected = fromStart - normal * (normal.dot(fromStart) / square)
        let inPlane = start + projected
        guard normal.cross(start).dot(projected) >= 0, end.cross(normal).dot(inPlane - end) >= 0,
            inPlane.dot(inPlane) > 1
        else { return nearer }
        return inPlane.onSurface
    }
}
