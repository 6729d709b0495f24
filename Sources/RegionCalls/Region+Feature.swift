import GeoJSON
import Interfaces
import Location
import Regions

/// Regions in the form of the interface.
extension RegionsInterface.Region {
    /// The region of a feature.
    public init(_ region: FeatureRegion) {
        self.init(
            identifier: region.identifier, shape: region.shape, dwell: region.dwell, loitering: region.loitering)
    }

    /// A region of this shape.
    public init(identifier: String, shape: Region.Shape, dwell: Double?, loitering: Double?) {
        self.init(identifier: identifier, dwell: dwell, loitering: loitering)
        switch shape {
        case .circle(let center, let radius):
            circle = RegionsInterface.Circle(
                latitude: center.latitude, longitude: center.longitude, radius: radius)
        case .polygon(let rings):
            polygon = RegionsInterface.Polygon(rings: rings.map { RegionsInterface.Ring(points: Self.points($0)) })
        case .corridor(let line, let halfWidth):
            corridor = RegionsInterface.Corridor(points: Self.points(line), halfWidth: halfWidth)
        }
    }

    private static func points(_ line: [Coordinate]) -> [RegionsInterface.Point] {
        line.map { RegionsInterface.Point(latitude: $0.latitude, longitude: $0.longitude) }
    }
}
