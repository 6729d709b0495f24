// Journeys of some hours with stays and with what resembles a stay. All are invented.

extension Journey {
    /// A day of a car in an invented town: home, work in a building of parking decks, a shop, and friends; between them red
    /// lights, a traffic jam, a petrol stop of four minutes and a tunnel.
    static let commute: Journey = {
        var day = Itinerary(plane: LocalPlane(latitude: 47.58, longitude: 21.12))
        day.stay(at: "home", seconds: 1200)
        day.go(east: 400, north: 60, kilometersPerHour: 40)
        day.halt(45)
        day.go(east: 900, north: 300, kilometersPerHour: 60)
        day.go(east: 200, north: 1500, kilometersPerHour: 70)
        day.halt(80)
        day.jam(
            course: 10,
            advances: [(60, 40), (45, 55), (80, 30), (50, 70), (40, 45), (90, 35), (55, 60), (70, 50), (120, 20)])
        day.go(east: 700, north: 900, kilometersPerHour: 80)
        day.enter(.tunnel)
        day.go(east: 900, north: 500, kilometersPerHour: 80)
        day.enter(.openSky)
        day.go(east: 1100, north: 200, kilometersPerHour: 50)
        day.enter(.canyon)
        day.go(east: 300, north: -280, kilometersPerHour: 40)
        day.halt(95)
        day.go(east: 150, north: -120, kilometersPerHour: 20)
        day.enter(.tunnel)
        day.go(east: 25, north: 20, kilometersPerHour: 8)
        day.stay(at: "work", seconds: 5400, in: .tunnel)
        day.go(east: -30, north: -15, kilometersPerHour: 8)
        day.go(east: -800, north: -900, kilometersPerHour: 50)
        day.halt(30)
        day.go(east: -600, north: -200, kilometersPerHour: 50)
        day.stay(at: "shop", seconds: 900)
        day.go(east: -700, north: -500, kilometersPerHour: 60)
        // The petrol station.
        day.halt(240)
        day.go(east: -300, north: -1200, kilometersPerHour: 70)
        day.go(east: -500, north: -500, kilometersPerHour: 50)
        day.halt(60)
        day.go(east: -900, north: 120, kilometersPerHour: 40)
        day.stay(at: "friends", seconds: 1800)
        return day.journey()
    }()

    /// A car that takes a ferry: the queue in the harbour is a stay, and the crossing is none although the car stands.
    static let ferry: Journey = {
        var trip = Itinerary(plane: LocalPlane(latitude: -15.42, longitude: 124.55))
        trip.halt(20)
        trip.go(east: 900, north: 250, kilometersPerHour: 60)
        trip.go(east: 1500, north: -200, kilometersPerHour: 80)
        trip.go(east: 300, north: 280, kilometersPerHour: 30)
        trip.stay(at: "harbour", seconds: 1100)
        trip.go(east: 60, north: 130, kilometersPerHour: 10)
        trip.halt(200)
        trip.go(east: 500, north: 5500, kilometersPerHour: 24)
        trip.go(east: -900, north: 4500, kilometersPerHour: 24)
        trip.halt(150)
        trip.go(east: -200, north: 400, kilometersPerHour: 30)
        trip.go(east: -800, north: 1200, kilometersPerHour: 70)
        trip.stay(at: "hotel", seconds: 1500, in: .indoors)
        return trip.journey()
    }()

    /// A boat that sails, swings at its anchor for hours and sails on.
    static let anchorage: Journey = {
        var trip = Itinerary(plane: LocalPlane(latitude: -47.35, longitude: -69.87), motion: .boat)
        trip.halt(10)
        trip.go(east: 1800, north: 600, kilometersPerHour: 10)
        trip.go(east: 900, north: 1700, kilometersPerHour: 9)
        trip.roam(at: "anchorage", spots: swing(radius: 35, times: 6), kilometersPerHour: 0.4)
        trip.go(east: 700, north: -600, kilometersPerHour: 6)
        trip.go(east: 1600, north: -300, kilometersPerHour: 10)
        return trip.journey()
    }()

    /// The spots of a boat that swings so many times around an anchor so many metres to the north, with halts at the ends.
    static func swing(radius: Double, times: Int) -> [(PlanePoint, halt: Double)] {
        let anchor = PlanePoint(east: 0, north: radius)
        return (0..<times).flatMap { turn -> [(PlanePoint, halt: Double)] in
            let bearings: [Double] = turn.isMultiple(of: 2) ? [210, 240] : [150, 120]
            let back: Double = 180
            return (bearings + [back]).map { bearing in
                (anchor + PlanePoint(distance: radius - (bearing == back ? 3 : 0), course: bearing), 240)
            }
        }
    }
}
