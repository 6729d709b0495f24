import GeoJSON
import Glibc
import Location
import Platform
import Regions
import Upload

/// The regions of a destination: the GeoJSON file that `[OwnTracks] Regions=` names.
public struct WaypointFile: Equatable, Sendable {
    /// The most regions of a destination.
    public static let mostRegions = 1_000
    /// The greatest length of the file in bytes.
    private static let mostBytes = 16 << 20

    /// The valid regions, in the order of the file, without those of which another one has the identifier.
    public private(set) var regions: [FeatureRegion] = []
    /// The same regions as OwnTracks' messages describe them.
    public private(set) var waypoints: [Waypoint] = []
    /// What is wrong, with the feature, the ring and the point, for people; never a coordinate. The regions may be used only
    /// if there is nothing.
    public private(set) var problems: [String] = []
    /// The feature of each identifier.
    private var features: [String: Int] = [:]

    /// Reads a file.
    public init(reading path: String) {
        do throws(SystemError) {
            read(try BoundedFile.bytes(of: path, limit: Self.mostBytes), as: path)
        } catch {
            problems = [
                error.code == EFBIG
                    ? "\(path): it is longer than \(Self.mostBytes >> 20) MiB" : "Could not \(error)"
            ]
        }
    }

    /// Reads the regions of a text, under a name for the messages.
    public init(reading bytes: [UInt8], as path: String) { read(bytes, as: path) }

    private mutating func read(_ bytes: [UInt8], as path: String) {
        var splitter = FeatureSplitter()
        do throws(GeoJSONError) {
            for (index, feature) in try splitter.append(bytes).enumerated() {
                read(feature, index + 1, isElement: true)
            }
            if let rest = try splitter.finish() { read(rest, 1, isElement: false) }
        } catch {
            problems.append(error.description)
        }
        if regions.count > Self.mostRegions {
            problems.append("it has \(regions.count) regions; at most \(Self.mostRegions) are allowed")
        }
        makeWaypoints()
        problems = problems.map { "\(path): \($0)" }
    }

    private mutating func read(_ text: [UInt8], _ number: Int, isElement: Bool) {
        let found: [FeatureRegion]
        do throws(GeoJSONError) {
            found = try GeoJSONFeature(text, number: isElement ? number : nil).regions(number: number)
        } catch {
            return problems.append(error.description)
        }
        for region in found {
            do throws(GeoJSONError) {
                try check(region)
                regions.append(region)
            } catch {
                problems.append(error.description)
            }
        }
    }

    private mutating func check(_ region: FeatureRegion) throws(GeoJSONError) {
        func error(_ reason: GeoJSONError.Reason) -> GeoJSONError {
            GeoJSONError(reason, feature: region.feature, part: region.part, identifier: region.identifier)
        }
        _ = try region.validated()
        if let other = features.updateValue(region.feature, forKey: region.identifier) {
            throw error(.identifierRepeated(feature: other))
        }
        if region.creation == .invalid {
            throw error(.property("tst", expected: "a whole number of seconds since 1970"))
        }
    }

    // The times of creation

    /// OwnTracks identifies a waypoint by the time of its creation. Features that have none get one that follows from their
    /// identifier, and from that alone unless two are the same.
    private mutating func makeWaypoints() {
        var owners: [Int64: FeatureRegion] = [:]
        var times: [String: Int64] = [:]
        for region in regions {
            guard case .at(let time)? = region.creation else { continue }
            // The parts of a geometry count on from the time of their feature.
            let own = time + Int64((region.part ?? 1) - 1)
            if let other = owners[own] {
                problems.append(
                    GeoJSONError(
                        .property("tst", expected: "another time than that of feature \(other.feature)"),
                        feature: region.feature, part: region.part, identifier: region.identifier
                    ).description)
            }
            (owners[own], times[region.identifier]) = (region, own)
        }
        for region in regions where region.creation == nil {
            var time = Self.time(of: region.identifier)
            while owners[time] != nil { time += 1 }
            (owners[time], times[region.identifier]) = (region, time)
        }
        waypoints = regions.map { region in
            var circle: Waypoint.Circle?
            if case .circle(let center, let radius) = region.shape {
                circle = Waypoint.Circle(center: center, radius: radius)
            }
            return Waypoint(name: region.identifier, created: times[region.identifier] ?? 0, circle: circle)
        }
    }

    /// The beginning of the year 2000, and the number of seconds after it, some 17 years, among which one is chosen.
    private static let firstTime: Int64 = 946_684_800
    private static let timeCount: UInt64 = 1 << 29

    /// A time that follows from an identifier: FNV-1a of its bytes, 64 bits, http://www.isthe.com/chongo/tech/comp/fnv/.
    private static func time(of identifier: String) -> Int64 {
        let checksum: UInt64 = identifier.utf8.reduce(14_695_981_039_346_656_037) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        return firstTime + Int64((checksum ^ checksum >> 32) % timeCount)
    }
}
