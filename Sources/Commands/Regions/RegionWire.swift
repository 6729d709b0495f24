import GeoJSON
import Interfaces
import Location
import Regions

/// Regions in the form of the interface.
extension RegionsInterface.Region {
    /// The region of a feature.
    init(_ region: FeatureRegion) {
        self.init(
            identifier: region.identifier, shape: region.shape, dwell: region.dwell, loitering: region.loitering)
    }

    /// A region of this shape.
    init(identifier: String, shape: Region.Shape, dwell: Double?, loitering: Double?) {
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

/// The regions of one call: at most a thousand, whose message is well below the limit of a mebibyte.
struct RegionBatch {
    private static let mostRegions = 1_000
    private static let mostBytes = 900_000

    private(set) var regions: [RegionsInterface.Region] = []
    private var bytes = 0

    /// Whether another region of so many points is for the next call.
    func isFull(for region: FeatureRegion) -> Bool {
        !regions.isEmpty && (regions.count >= Self.mostRegions || bytes + Self.size(region) > Self.mostBytes)
    }

    mutating func add(_ region: FeatureRegion) {
        regions.append(RegionsInterface.Region(region))
        bytes += Self.size(region)
    }

    mutating func removeAll() { self = RegionBatch() }

    /// More than the bytes of a region in a message: an escaped identifier has up to six bytes for one, and a position
    /// two numbers of up to 24 characters and its names.
    private static func size(_ region: FeatureRegion) -> Int {
        let points =
            switch region.shape {
            case .circle: 1
            case .polygon(let rings): rings.reduce(0) { $0 + $1.count }
            case .corridor(let line, _): line.count
            }
        return 200 + region.identifier.utf8.count * 6 + points * 80
    }
}
