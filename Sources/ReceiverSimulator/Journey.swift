import Location

/// A journey of some hours with its truth: where the traveller stayed, and from when until when.
public struct Journey: Sendable {
    /// A stay at one place that a detector of visits should find.
    public struct Stay: Equatable, Sendable {
        /// What the place is, such as `home`.
        public var place: String
        /// The middle of the place.
        public var coordinate: Coordinate
        /// Seconds after the start of the journey; nil where the journey begins at this place.
        public var arrival: Double?
        /// Seconds after the start of the journey; nil where the journey ends at this place.
        public var departure: Double?
    }

    /// Where the traveller goes.
    public let route: Route
    /// The true stays, in their order. Halts of less than five minutes are none.
    public let stays: [Stay]
    /// Seconds.
    public let duration: Double
    /// What surrounds the receiver, each from so many seconds after the start.
    let phases: [(from: Double, reception: Reception)]

    /// What surrounds the receiver so many seconds after the start.
    func reception(at seconds: Double) -> Reception {
        phases.last { $0.from <= seconds }?.reception ?? .openSky
    }

    /// The true coordinate so many seconds after the start.
    public func coordinate(at seconds: Double) -> Coordinate? {
        let state = route.state(at: seconds)
        return Coordinate(latitude: state.latitude, longitude: state.longitude)
    }
}

/// A journey in the making: legs, halts and stays, one after the other.
struct Itinerary: Sendable {
    private let plane: LocalPlane
    private let motion: Route.Motion
    private var waypoints: [Route.Waypoint]
    private var stays: [(place: String, middle: PlanePoint, waypoints: ClosedRange<Int>)] = []
    private var surroundings: [(waypoint: Int, isFromArrival: Bool, reception: Reception)] = []

    /// Nobody has moved yet: the traveller is at the origin of the plane.
    init(plane: LocalPlane, motion: Route.Motion = .car) {
        self.plane = plane
        self.motion = motion
        waypoints = [Route.Waypoint(0, 0, altitude: 100)]
    }

    /// Where the traveller is after the last leg.
    var here: PlanePoint { waypoints[waypoints.count - 1].point }

    private var last: Int { waypoints.count - 1 }

    /// A straight leg, so many metres to the east and north.
    mutating func go(east: Double, north: Double, kilometersPerHour: Double) {
        waypoints.append(
            Route.Waypoint(
                here.east + east, here.north + north, altitude: 100, kilometersPerHour: kilometersPerHour))
    }

    /// A halt of so many seconds where the last leg ends, such as a red light.
    mutating func halt(_ seconds: Double) { waypoints[last].stop += seconds }

    /// What surrounds the receiver from the end of the last leg on.
    mutating func enter(_ reception: Reception) { surroundings.append((last, false, reception)) }

    /// Stop and go: short advances of so many metres along a course in degrees, each followed by a halt in seconds.
    mutating func jam(course: Double, advances: [(meters: Double, halt: Double)]) {
        for advance in advances {
            let leg = PlanePoint(distance: advance.meters, course: course)
            go(east: leg.east, north: leg.north, kilometersPerHour: 15)
            halt(advance.halt)
        }
    }

    /// A stay of so many seconds at one spot.
    mutating func stay(at place: String, seconds: Double, in reception: Reception = .openSky) {
        surroundings.append((last, true, reception))
        halt(seconds)
        stays.append((place, here, last...last))
        enter(.openSky)
    }

    /// A stay that consists of moves between spots, relative to where the last leg ended, and of a halt in seconds at each.
    mutating func roam(
        at place: String, spots: [(PlanePoint, halt: Double)], kilometersPerHour: Double,
        in reception: Reception = .openSky
    ) {
        surroundings.append((last, true, reception))
        let (first, entrance) = (last, here)
        for (spot, seconds) in spots {
            let move = entrance + spot - here
            go(east: move.east, north: move.north, kilometersPerHour: kilometersPerHour)
            halt(seconds)
        }
        let points = waypoints[first...].map(\.point)
        let middle = points.reduce(PlanePoint(east: 0, north: 0), +) * (1 / Double(points.count))
        stays.append((place, middle, first...last))
        enter(.openSky)
    }

    /// The journey, once all legs are known.
    func journey() -> Journey {
        let route = Route(plane: plane, geoidSeparation: 40, motion: motion, waypoints: waypoints)
        let passages = route.passages
        let stays = stays.compactMap { place, middle, range -> Journey.Stay? in
            let degrees = plane.degrees(of: middle)
            guard let coordinate = Coordinate(latitude: degrees.latitude, longitude: degrees.longitude) else {
                return nil
            }
            return Journey.Stay(
                place: place, coordinate: coordinate,
                arrival: range.lowerBound == 0 ? nil : passages[range.lowerBound].lowerBound,
                departure: range.upperBound == last ? nil : passages[range.upperBound].upperBound)
        }
        let phases = surroundings.map { waypoint, isFromArrival, reception in
            (isFromArrival ? passages[waypoint].lowerBound : passages[waypoint].upperBound, reception)
        }
        return Journey(route: route, stays: stays, duration: route.duration, phases: phases)
    }
}
