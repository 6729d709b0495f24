/// Two edges of a polygon that cross each other.
struct EdgeCrossing: Equatable {
    /// An edge, named by its first point.
    struct Edge: Equatable {
        var ring: Int
        var point: Int
    }

    var edge: Edge
    var other: Edge

    /// A crossing in these rings, each of which ends with its first point; nil if there is none. Edges may touch.
    ///
    /// The edges are ordered by their lowest x, so that an edge is compared only with those that begin before it ends:
    /// with real borders few, with 10,000 edges of the whole width 50 million.
    static func first(in rings: [[PolygonArea.Point]]) -> EdgeCrossing? {
        var spans: [Span] = []
        for (ring, points) in rings.enumerated() {
            for (index, (start, end)) in zip(points, points.dropFirst()).enumerated() {
                spans.append(Span(edge: Edge(ring: ring, point: index), start: start, end: end))
            }
        }
        spans.sort { $0.lowX < $1.lowX }
        for (index, span) in spans.enumerated() {
            var next = index + 1
            while next < spans.count, spans[next].lowX <= span.highX {
                if span.crosses(spans[next]) {
                    let edges = [span.edge, spans[next].edge].sorted { ($0.ring, $0.point) < ($1.ring, $1.point) }
                    return EdgeCrossing(edge: edges[0], other: edges[1])
                }
                next += 1
            }
        }
        return nil
    }
}

/// An edge with its limits.
private struct Span {
    let edge: EdgeCrossing.Edge
    let start: PolygonArea.Point
    let end: PolygonArea.Point
    let lowX: Double
    let highX: Double
    let lowY: Double
    let highY: Double

    init(edge: EdgeCrossing.Edge, start: PolygonArea.Point, end: PolygonArea.Point) {
        (self.edge, self.start, self.end) = (edge, start, end)
        (lowX, highX) = (min(start.x, end.x), max(start.x, end.x))
        (lowY, highY) = (min(start.y, end.y), max(start.y, end.y))
    }

    func crosses(_ other: Span) -> Bool {
        guard lowY <= other.highY, other.lowY <= highY else { return false }
        return Self.areOpposite(side(of: other.start), side(of: other.end))
            && Self.areOpposite(other.side(of: start), other.side(of: end))
    }

    private static func areOpposite(_ one: Double, _ other: Double) -> Bool {
        (one > 0 && other < 0) || (one < 0 && other > 0)
    }

    private func side(of point: PolygonArea.Point) -> Double {
        (end.x - start.x) * (point.y - start.y) - (point.x - start.x) * (end.y - start.y)
    }
}
