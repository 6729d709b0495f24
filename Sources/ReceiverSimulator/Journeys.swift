/// The routes of the presets. All are invented, in uninhabited places, and follow no real road.
extension Route {
    /// About six kilometres on a steppe: village speed, open road, a stop, a level crossing.
    static let countryRoads = Route(
        plane: LocalPlane(latitude: 47.58, longitude: 21.12), geoidSeparation: 41.6, waypoints: countryWaypoints)

    private static let countryWaypoints = [
        Waypoint(0, 0, altitude: 88, stop: 6),
        Waypoint(190, 45, altitude: 88, kilometersPerHour: 50),
        Waypoint(430, 30, altitude: 89, kilometersPerHour: 50, stop: 4),
        Waypoint(480, 520, altitude: 91, kilometersPerHour: 70),
        Waypoint(900, 1080, altitude: 94, kilometersPerHour: 90),
        Waypoint(1900, 1400, altitude: 99, kilometersPerHour: 90),
        Waypoint(2500, 1250, altitude: 97, kilometersPerHour: 80),
        Waypoint(2650, 900, altitude: 95, kilometersPerHour: 50, stop: 9),
        Waypoint(2700, 540, altitude: 93, kilometersPerHour: 60),
        Waypoint(2300, 250, altitude: 91, kilometersPerHour: 70),
        Waypoint(1650, 150, altitude: 90, kilometersPerHour: 90),
        Waypoint(1480, 60, altitude: 89, kilometersPerHour: 40),
    ]

    /// The same roads and back to the start, so that one journey after the other is one movement.
    static let roundTrip = Route(
        plane: LocalPlane(latitude: 47.58, longitude: 21.12), geoidSeparation: 41.6,
        waypoints: countryWaypoints + [
            Waypoint(700, -60, altitude: 88, kilometersPerHour: 70),
            Waypoint(150, -40, altitude: 88, kilometersPerHour: 50),
            Waypoint(0, 0, altitude: 88, kilometersPerHour: 30),
        ])

    /// Half a kilometre around a lake of the Patagonian steppe, southwest of Greenwich.
    static let lakeside = Route(
        plane: LocalPlane(latitude: -47.35, longitude: -69.87), geoidSeparation: 13.2, motion: .pedestrian,
        waypoints: [
            Waypoint(0, 0, altitude: 412, stop: 10),
            Waypoint(60, 35, altitude: 413, kilometersPerHour: 4.8),
            Waypoint(130, 20, altitude: 416, kilometersPerHour: 5.2),
            Waypoint(185, -40, altitude: 418, kilometersPerHour: 5.2, stop: 45),
            Waypoint(170, -110, altitude: 414, kilometersPerHour: 5),
            Waypoint(95, -140, altitude: 411, kilometersPerHour: 5),
            Waypoint(20, -105, altitude: 411, kilometersPerHour: 5),
            Waypoint(-10, -45, altitude: 412, kilometersPerHour: 4.5),
        ])

    /// A stationary place in the interior of Iceland.
    static let mountainPass = Route(
        plane: LocalPlane(latitude: 64.78, longitude: -18.05), geoidSeparation: 65.8,
        waypoints: [Waypoint(0, 0, altitude: 742)])

    /// Some kilometres along a coast of the Kimberley, in the southern hemisphere.
    static let coastRoad = Route(
        plane: LocalPlane(latitude: -15.42, longitude: 124.55), geoidSeparation: 29.4,
        waypoints: [
            Waypoint(0, 0, altitude: 22, stop: 3),
            Waypoint(260, 80, altitude: 24, kilometersPerHour: 60),
            Waypoint(520, 420, altitude: 31, kilometersPerHour: 70),
            Waypoint(980, 520, altitude: 35, kilometersPerHour: 70),
            Waypoint(1250, 240, altitude: 30, kilometersPerHour: 60),
            Waypoint(1800, 300, altitude: 26, kilometersPerHour: 80),
            Waypoint(2500, 700, altitude: 25, kilometersPerHour: 80),
        ])
}
