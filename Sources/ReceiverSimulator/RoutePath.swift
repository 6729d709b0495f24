import Glibc

/// The line of a route, divided into places about a metre apart.
enum RoutePath {
    /// A place on the line.
    struct Place: Sendable {
        var point: PlanePoint
        /// Metres above mean sea level.
        var altitude: Double
        /// Metres from the start along the line.
        var distance: Double
        /// Degrees from true north.
        var course: Double
        /// The speed limit in metres per second.
        var speedLimit: Double
        /// The radius of the curve in metres; infinite on a straight line.
        var radius: Double
        /// The length of the stop in seconds.
        var stop: Double
        /// The number of the waypoint that it leads to.
        var waypoint: Int
    }

    /// A rounded corner.
    private struct Corner {
        /// The distance in metres from the corner to the beginning and end of the curve.
        var tangent: Double
        var radius: Double
        /// The change of direction in degrees, positive to the right.
        var turn: Double
    }

    private static let step = 1.0

    /// The places of a line through the waypoints. At waypoints with a stop the direction changes on the spot; other
    /// corners are rounded with the radius, or with a smaller one between short legs.
    static func places(through waypoints: [Route.Waypoint], cornerRadius: Double) -> [Place] {
        guard let first = waypoints.first else { return [] }
        var course = 0.0
        if waypoints.count > 1 { course = (waypoints[1].point - first.point).course }
        var places = [
            Place(
                point: first.point, altitude: first.altitude, distance: 0, course: course,
                speedLimit: first.speedLimit, radius: .infinity, stop: first.stop, waypoint: 0)
        ]
        var begun = 0.0
        for index in waypoints.indices.dropFirst() {
            let start = waypoints[index - 1]
            let end = waypoints[index]
            let course = (end.point - start.point).course
            let corner = corner(at: index, of: waypoints, radius: cornerRadius)
            let length = (end.point - start.point).length
            appendLine(
                to: &places, from: start.point + PlanePoint(distance: begun, course: course), course: course,
                length: length - begun - corner.tangent, end: end, index: index)
            appendCurve(to: &places, corner: corner, course: course, waypoint: end, index: index)
            begun = corner.tangent
        }
        return places
    }

    private static func corner(at index: Int, of waypoints: [Route.Waypoint], radius: Double) -> Corner {
        guard index + 1 < waypoints.count, waypoints[index].stop == 0 else {
            return Corner(tangent: 0, radius: .infinity, turn: 0)
        }
        let before = waypoints[index].point - waypoints[index - 1].point
        let after = waypoints[index + 1].point - waypoints[index].point
        let turn = Angle.turn(from: before.course, to: after.course)
        let half = tan(abs(turn) / 2 * .pi / 180)
        let tangent = min(radius * half, 0.45 * min(before.length, after.length))
        return Corner(tangent: tangent, radius: half > 0 ? tangent / half : .infinity, turn: turn)
    }

    private static func appendLine(
        to places: inout [Place], from start: PlanePoint, course: Double, length: Double, end: Route.Waypoint,
        index: Int
    ) {
        guard let last = places.last, length > 0 else { return }
        // At least two, because there must be a place with movement between two stops.
        let count = max(2, Int((length / step).rounded(.up)))
        for part in 1...count {
            let share = Double(part) / Double(count)
            places.append(
                Place(
                    point: start + PlanePoint(distance: length * share, course: course),
                    altitude: last.altitude + (end.altitude - last.altitude) * share,
                    distance: last.distance + length * share, course: course, speedLimit: end.speedLimit,
                    radius: .infinity, stop: part == count ? end.stop : 0, waypoint: index))
        }
    }

    private static func appendCurve(
        to places: inout [Place], corner: Corner, course: Double, waypoint: Route.Waypoint, index: Int
    ) {
        guard let last = places.last, corner.tangent > 0 else { return }
        let length = corner.radius * abs(corner.turn) * .pi / 180
        let side = corner.turn > 0 ? 90.0 : -90.0
        let center = last.point + PlanePoint(distance: corner.radius, course: course + side)
        let count = max(1, Int((length / step).rounded(.up)))
        for part in 1...count {
            let share = Double(part) / Double(count)
            let heading = Angle.normalized(course + corner.turn * share)
            places.append(
                Place(
                    point: center + PlanePoint(distance: corner.radius, course: heading - side),
                    altitude: waypoint.altitude, distance: last.distance + length * share, course: heading,
                    speedLimit: waypoint.speedLimit, radius: corner.radius, stop: 0, waypoint: index))
        }
    }
}
