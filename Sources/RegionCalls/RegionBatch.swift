import GeoJSON
import Interfaces

/// The regions of one call: at most a thousand, whose message is well below the limit of a mebibyte.
public struct RegionBatch: Sendable {
    private static let mostRegions = 1_000
    private static let mostBytes = 900_000

    /// The regions.
    public private(set) var regions: [RegionsInterface.Region] = []
    private var bytes = 0

    /// A batch without regions.
    public init() {}

    /// Whether another region of so many points is for the next call.
    public func isFull(for region: FeatureRegion) -> Bool {
        !regions.isEmpty && (regions.count >= Self.mostRegions || bytes + Self.size(region) > Self.mostBytes)
    }

    /// Adds a region.
    public mutating func add(_ region: FeatureRegion) {
        regions.append(RegionsInterface.Region(region))
        bytes += Self.size(region)
    }

    /// Removes all regions.
    public mutating func removeAll() { self = RegionBatch() }

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
