import Authorization
import Interfaces
import JSONText
import Location
import Regions
import RegionStorage

extension StoredRegionEvent: RegionInformation {}

/// Whether the machine is in a region, and since when this is known.
struct RegionStatus: RegionInformation {
    var state: RegionState
    var since: UTCTime?
}

extension RegionDisclosure<StoredRegionEvent> {
    /// Writes the `Event` of `io.waymark.Regions`. Nothing else writes an event of a region.
    func write(to writer: inout JSONWriter) {
        let event = content
        writer.object { writer in
            writer.member("sequence", event.sequence)
            writer.member("region", event.identifier)
            event.kind.writeMembers(to: &writer)
            writer.member("time", event.time.secondsSinceEpoch)
            writer.member("crossed", event.crossed?.secondsSinceEpoch)
            writer.member("passedThrough", event.passedThrough)
            writer.member("isSimulated", event.isSimulated)
            writer.member("latitude", event.place?.coordinate.latitude)
            writer.member("longitude", event.place?.coordinate.longitude)
            writer.member("horizontalAccuracy", event.place?.horizontalAccuracy)
            writer.member("lost", event.lost)
        }
    }
}

extension RegionDisclosure<RegionStatus> {
    /// Writes the state of a `KnownRegion` of `io.waymark.Regions`. Nothing else writes a state that is known.
    func writeMembers(to writer: inout JSONWriter) {
        content.state.writeMembers(to: &writer)
        writer.member("since", content.since?.secondsSinceEpoch)
    }
}

extension StoredRegionEvent.Kind {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        let word: RegionsInterface.Kind =
            switch self {
            case .determined: .determined
            case .entered: .entered
            case .left: .left
            case .loitered: .loitered
            case .unknown: .unknown
            case .overflowed: .overflowed
            }
        writer.member("kind", word.rawValue)
        switch self {
        case .determined(let state): state.writeMembers(to: &writer)
        case .unknown(let doubt): writer.member("reason", doubt.rawValue)
        case .entered, .left, .loitered, .overflowed: break
        }
    }
}

extension RegionState {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .inside: writer.member("state", RegionsInterface.State.inside.rawValue)
        case .outside: writer.member("state", RegionsInterface.State.outside.rawValue)
        case .unknown(let doubt): doubt.writeMembers(to: &writer)
        }
    }
}

extension RegionDoubt {
    /// Writes that the state of a region is not known.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("state", RegionsInterface.State.unknown.rawValue)
        writer.member("reason", rawValue)
    }
}

extension Region {
    /// The word for the shape.
    var shapeName: String {
        switch shape {
        case .circle: "circle"
        case .polygon: "polygon"
        case .corridor: "corridor"
        }
    }

    /// Writes the shape as a member of a `Region` of `io.waymark.Regions`.
    func writeShape(to writer: inout JSONWriter) {
        switch shape {
        case .circle(let center, let radius):
            writer.object("circle") { writer in
                Self.writeMembers(center, to: &writer)
                writer.member("radius", radius)
            }
        case .polygon(let rings):
            writer.object("polygon") { writer in
                writer.array("rings") { writer in
                    for ring in rings {
                        writer.object { writer in Self.write(ring, to: &writer) }
                    }
                }
            }
        case .corridor(let line, let halfWidth):
            writer.object("corridor") { writer in
                Self.write(line, to: &writer)
                writer.member("halfWidth", halfWidth)
            }
        }
    }

    private static func write(_ points: [Coordinate], to writer: inout JSONWriter) {
        writer.array("points") { writer in
            for point in points { writer.object { writer in writeMembers(point, to: &writer) } }
        }
    }

    private static func writeMembers(_ point: Coordinate, to writer: inout JSONWriter) {
        writer.member("latitude", point.latitude)
        writer.member("longitude", point.longitude)
    }
}
