import CWaymark
import Interfaces

// The structures of `waymark.h` about regions, made from the types of the interface.

extension waymark_region_event {
    init(_ event: RegionsInterface.Event, _ memory: EventMemory) {
        let kind =
            switch event.kind {
            case .determined: WAYMARK_REGION_DETERMINED
            case .entered: WAYMARK_REGION_ENTERED
            case .left: WAYMARK_REGION_LEFT
            case .loitered: WAYMARK_REGION_LOITERED
            case .unknown: WAYMARK_REGION_UNKNOWN
            case .overflowed: WAYMARK_REGION_OVERFLOWED
            default: WAYMARK_REGION_OTHER
            }
        let state: RegionsInterface.State? =
            switch event.kind {
            case .entered, .loitered: .inside
            case .left: .outside
            default: event.state
            }
        self.init(
            sequence: event.sequence, identifier: memory.text(event.region), kind: Int32(kind.rawValue),
            state: RegionStates.number(state), kind_word: memory.text(event.kind.rawValue),
            reason: memory.text(event.reason?.rawValue), time: event.time, crossed: event.crossed ?? .nan,
            latitude: event.latitude ?? .nan, longitude: event.longitude ?? .nan,
            horizontal_accuracy: event.horizontalAccuracy ?? .nan,
            lost: event.lost ?? 0, passed_through: event.passedThrough, is_simulated: event.isSimulated)
    }
}

/// The numbers of states in `waymark.h`.
enum RegionStates {
    /// The value in `enum waymark_region_state`.
    static func number(_ state: RegionsInterface.State?) -> Int32 {
        let number =
            switch state {
            case .inside?: WAYMARK_STATE_INSIDE
            case .outside?: WAYMARK_STATE_OUTSIDE
            default: WAYMARK_STATE_UNKNOWN
            }
        return Int32(number.rawValue)
    }
}

extension waymark_region_record {
    init(_ known: RegionsInterface.KnownRegion, _ memory: EventMemory) {
        let region = known.region
        let rings = region.polygon?.rings.map(\.points) ?? []
        let line =
            region.corridor?.points ?? region.circle.map { [.init(latitude: $0.latitude, longitude: $0.longitude)] }
        let points = (line ?? rings.flatMap { $0 }).map {
            waymark_point(latitude: $0.latitude, longitude: $0.longitude)
        }
        let shape =
            region.circle != nil
            ? WAYMARK_SHAPE_CIRCLE.rawValue
            : region.polygon != nil
                ? WAYMARK_SHAPE_POLYGON.rawValue : region.corridor != nil ? WAYMARK_SHAPE_CORRIDOR.rawValue : 0
        self.init(
            identifier: memory.text(region.identifier), shape: Int32(shape),
            state: RegionStates.number(known.state), reason: memory.text(known.reason?.rawValue),
            since: known.since ?? .nan, points: memory.array(points), point_count: points.count,
            ring_sizes: memory.array(rings.map(\.count)), ring_count: rings.count,
            radius: region.circle?.radius ?? region.corridor?.halfWidth ?? .nan, dwell: region.dwell ?? .nan,
            loitering: region.loitering ?? .nan)
    }
}
