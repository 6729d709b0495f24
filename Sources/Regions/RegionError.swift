/// Why a shape is no region, and where in its geometry. Its text contains no coordinate.
public struct RegionError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Equatable, Sendable {
        /// The latitude is not between -90 and 90, or the longitude not between -180 and 180.
        case coordinateOutOfRange
        /// The radius of a circle is not within `Region.radii`.
        case radiusOutOfRange
        /// The half width of a corridor is not within `Region.halfWidths`.
        case halfWidthOutOfRange
        /// A polygon without a ring, or a corridor of fewer than two different points.
        case tooFewPoints
        /// A ring of fewer than three different points, or one that encloses less than a square metre.
        case degenerateRing
        /// More points than `Region.maximumPoints`.
        case tooManyPoints
        /// The polygon does not fit into a circle of the greatest radius.
        case tooLarge
        /// Two neighbouring points are so far apart that the shortest line between them is not certain.
        case pointsTooFarApart
        /// All lines together are longer than `Region.longestBorder`.
        case borderTooLong
        /// The edge crosses another edge, which begins at this point of this ring.
        case crossing(ring: Int, point: Int)
        /// A hole is outside the polygon's border or inside another hole.
        case misplacedHole
    }

    /// What is wrong.
    public var reason: Reason
    /// The ring, from 0; the first is the outer border. Nil for a shape without rings, and for the whole of a polygon.
    public var ring: Int?
    /// The point in the ring or line, from 0. Nil for the whole of it.
    public var point: Int?

    /// An error at a point of a ring or line.
    public init(_ reason: Reason, ring: Int? = nil, point: Int? = nil) {
        self.reason = reason
        self.ring = ring
        self.point = point
    }

    /// For people: what is wrong and where, counted from 1.
    public var description: String {
        let subject = Self.place(ring: ring, point: point).map { "\($0): " } ?? ""
        return subject + reason.text
    }

    fileprivate static func place(ring: Int?, point: Int?) -> String? {
        switch (ring, point) {
        case (let ring?, let point?): "point \(point + 1) of ring \(ring + 1)"
        case (let ring?, nil): "ring \(ring + 1)"
        case (nil, let point?): "point \(point + 1)"
        case (nil, nil): nil
        }
    }
}

extension RegionError.Reason {
    fileprivate var text: String {
        switch self {
        case .coordinateOutOfRange:
            "the latitude has to be between -90 and 90 and the longitude between -180 and 180 degrees"
        case .radiusOutOfRange: "the radius has to be between 1 m and 5,000 km"
        case .halfWidthOutOfRange: "the half width has to be between 1 m and 1,000 km"
        case .tooFewPoints: "a polygon needs a ring, and a corridor two different points"
        case .degenerateRing: "the ring needs three different points that enclose a square metre or more"
        case .tooManyPoints: "a region has at most 10,000 points"
        case .tooLarge: "the polygon has to fit into a circle with a radius of 5,000 km"
        case .pointsTooFarApart: "the next point is more than 10,000 km away; add points between them"
        case .borderTooLong: "the lines of a region are at most 1,000,000 km long"
        case .crossing(let ring, let point):
            "the edge from here crosses the edge from "
                + (RegionError.place(ring: ring, point: point) ?? "another point")
        case .misplacedHole: "the hole has to be inside the first ring and outside the other holes"
        }
    }
}
