import CWaymark
import Interfaces

extension Arguments {
    /// The regions that a program passes.
    static func regions(
        _ pointers: UnsafePointer<UnsafePointer<waymark_region>?>?, _ count: Int
    ) throws(InvalidArgument) -> [RegionsInterface.Region] {
        guard let pointers, (1...1_000).contains(count) else { throw InvalidArgument() }
        var regions: [RegionsInterface.Region] = []
        for index in 0..<count {
            guard let pointer = pointers[index] else { throw InvalidArgument() }
            regions.append(try region(try structure(pointer)))
        }
        return regions
    }

    private static func region(_ region: waymark_region) throws(InvalidArgument) -> RegionsInterface.Region {
        guard let shape = UInt32(exactly: region.shape), let first = region.points,
            (1...10_000).contains(region.point_count)
        else { throw InvalidArgument() }
        let points = UnsafeBufferPointer(start: first, count: region.point_count).map {
            RegionsInterface.Point(latitude: $0.latitude, longitude: $0.longitude)
        }
        guard points.allSatisfy({ $0.latitude.isFinite && $0.longitude.isFinite }) else { throw InvalidArgument() }
        var result = RegionsInterface.Region(
            identifier: try text(region.identifier), dwell: try number(region.dwell, to: 604_800),
            loitering: try number(region.loitering, to: 604_800))
        switch shape {
        case WAYMARK_SHAPE_CIRCLE.rawValue:
            guard points.count == 1, region.radius.isFinite else { throw InvalidArgument() }
            result.circle = RegionsInterface.Circle(
                latitude: points[0].latitude, longitude: points[0].longitude, radius: region.radius)
        case WAYMARK_SHAPE_POLYGON.rawValue:
            result.polygon = RegionsInterface.Polygon(rings: try rings(points, region))
        case WAYMARK_SHAPE_CORRIDOR.rawValue:
            guard region.radius.isFinite else { throw InvalidArgument() }
            result.corridor = RegionsInterface.Corridor(points: points, halfWidth: region.radius)
        default: throw InvalidArgument()
        }
        return result
    }

    private static func rings(
        _ points: [RegionsInterface.Point], _ region: waymark_region
    ) throws(InvalidArgument) -> [RegionsInterface.Ring] {
        guard region.ring_count > 0 else { return [RegionsInterface.Ring(points: points)] }
        guard let sizes = region.ring_sizes, region.ring_count <= points.count else { throw InvalidArgument() }
        var rings: [RegionsInterface.Ring] = []
        var start = 0
        for index in 0..<region.ring_count {
            guard sizes[index] > 0, sizes[index] <= points.count - start else { throw InvalidArgument() }
            rings.append(RegionsInterface.Ring(points: Array(points[start..<start + sizes[index]])))
            start += sizes[index]
        }
        guard start == points.count else { throw InvalidArgument() }
        return rings
    }
}
