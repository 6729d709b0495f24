import Interfaces
import Location
import Regions
import RegionStorage
import Varlink

extension [RegionsInterface.Region] {
    /// The validated regions of a call. A polygon of many points takes milliseconds, so this runs on the storage thread.
    /// - Throws: The first region that is none, by its index. The message never has a coordinate.
    func validated() throws(RegionsInterface.Failure) -> [NewRegion] {
        var regions: [NewRegion] = []
        regions.reserveCapacity(count)
        for (index, region) in enumerated() {
            guard region.identifier.isRegionIdentifier else {
                throw .invalidIdentifier(
                    index: Int64(index),
                    message: "The identifier of a region has 1 to 128 bytes of UTF-8 and no control characters.")
            }
            let shape: Region?
            do throws(RegionError) { shape = try region.validated } catch {
                throw .invalidRegion(
                    index: Int64(index), identifier: region.identifier, message: "This is no region: \(error).")
            }
            guard let shape else {
                throw .invalidRegion(
                    index: Int64(index), identifier: region.identifier,
                    message: "A region has exactly one shape: a circle, a polygon or a corridor.")
            }
            regions.append(
                NewRegion(
                    identifier: region.identifier, region: shape, dwell: region.dwell ?? 0,
                    loitering: region.loitering))
        }
        return regions
    }
}

extension RegionsInterface.Region {
    /// The only shape, validated; nil where there is none, or more than one.
    fileprivate var validated: Region? {
        get throws(RegionError) {
            guard let shape = try shape else { return nil }
            return try Region(shape)
        }
    }

    /// The only shape; nil where there is none, or more than one.
    private var shape: Region.Shape? {
        get throws(RegionError) {
            switch (circle, polygon, corridor) {
            case (let circle?, nil, nil):
                .circle(
                    center: try Region.coordinate(latitude: circle.latitude, longitude: circle.longitude),
                    radius: circle.radius)
            case (nil, let polygon?, nil):
                .polygon(rings: try Self.rings(of: polygon))
            case (nil, nil, let corridor?):
                .corridor(line: try Self.coordinates(corridor.points, ring: nil), halfWidth: corridor.halfWidth)
            default: nil
            }
        }
    }

    private static func rings(of polygon: RegionsInterface.Polygon) throws(RegionError) -> [[Coordinate]] {
        var rings: [[Coordinate]] = []
        for (index, ring) in polygon.rings.enumerated() {
            rings.append(try coordinates(ring.points, ring: index))
        }
        return rings
    }

    private static func coordinates(
        _ points: [RegionsInterface.Point], ring: Int?
    ) throws(RegionError) -> [Coordinate] {
        var coordinates: [Coordinate] = []
        coordinates.reserveCapacity(points.count)
        for (index, point) in points.enumerated() {
            coordinates.append(
                try Region.coordinate(
                    latitude: point.latitude, longitude: point.longitude, ring: ring, point: index))
        }
        return coordinates
    }
}

extension String {
    /// Whether it may be the identifier of a region.
    var isRegionIdentifier: Bool {
        (1...128).contains(utf8.count)
            && unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
