import Testing

@testable import ReceiverSimulator

struct RouteTests {
    private let straight = Route(
        plane: LocalPlane(latitude: 47, longitude: 21), geoidSeparation: 0,
        motion: Route.Motion(acceleration: 2, braking: 2, sideways: 2, cornerRadius: 20),
        waypoints: [
            Route.Waypoint(0, 0, altitude: 100), Route.Waypoint(0, 400, altitude: 108, kilometersPerHour: 72, stop: 5),
            Route.Waypoint(0, 500, altitude: 108, kilometersPerHour: 36),
        ])

    @Test func `a straight leg is driven as computed by hand`() {
        // 10 s to 20 m/s over 100 m, 10 s for 200 m, 10 s to a halt.
        #expect(abs(straight.state(at: 10).speed - 20) < 0.01)
        #expect(abs(straight.state(at: 10).point.north - 100) < 0.1)
        #expect(abs(straight.state(at: 15).point.north - 200) < 0.1)
        #expect(abs(straight.state(at: 15).climb - 0.4) < 0.001)
        #expect(abs(straight.state(at: 25).speed - 10) < 0.05)
        // Then 5 s without movement, and 5 + 5 + 5 s for the last hundred metres.
        #expect(straight.state(at: 32).speed == 0)
        #expect(straight.state(at: 32).point.north == 400)
        #expect(abs(straight.duration - 50) < 0.1)
        #expect(abs(straight.length - 500) < 0.001)
    }

    @Test func `before the start and after the end it stands`() {
        #expect(straight.state(at: -5).speed == 0)
        #expect(straight.state(at: -5).point.north == 0)
        #expect(straight.state(at: 1000).speed == 0)
        #expect(straight.state(at: 1000).point.north == 500)
    }

    @Test func `a degree north has the length that WGS 84 gives it`() {
        // At 45°: 111 131.8 m north, 78 846.8 m east.
        let plane = LocalPlane(latitude: 45, longitude: 10)
        let degrees = plane.degrees(of: PlanePoint(east: 78_846.8, north: 111_131.8))
        #expect(abs(degrees.latitude - 46) < 1e-5)
        #expect(abs(degrees.longitude - 11) < 1e-5)
    }

    @Test func `across the date line the longitude changes its sign`() {
        let degrees = LocalPlane(latitude: 0, longitude: 179.9999).degrees(of: PlanePoint(east: 100, north: 0))
        #expect(degrees.longitude < -179.99)
    }

    @Test(arguments: ["drive", "walk", "tunnel"])
    func `a journey is smooth`(name: String) throws {
        let route = try #require(Preset.named(name)).route
        var previous = route.state(at: 0)
        for step in 1...Int(route.duration * 10) {
            let state = route.state(at: Double(step) / 10)
            let moved = (state.point - previous.point).length
            #expect(abs(moved - (state.speed + previous.speed) / 2 * 0.1) < 0.02)
            #expect(abs(state.speed - previous.speed) <= 0.25)
            previous = state
        }
    }

    @Test func `the drive has all that a drive has`() throws {
        let preset = try #require(Preset.named("drive"))
        let states = (0..<Int(preset.duration)).map { preset.route.state(at: Double($0)) }
        let fastest = states.map(\.speed).max() ?? 0
        #expect(abs(fastest - 25) < 0.01)
        #expect(preset.route.length > 5000)
        #expect(preset.route.duration < preset.duration)
        #expect(Set(states.map { Int($0.course / 90) }).count >= 3)
    }
}
