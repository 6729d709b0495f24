// Journeys that a seed decides, for tests over many of them.

extension Journey {
    /// A day of some hours: with a car, on foot or on a boat, with stays and with what resembles a stay.
    public static func random(seed: UInt64) -> Journey {
        var random = SeededGenerator(seed: seed, stream: 7)
        var day = RandomDay(seed: random.next())
        switch random.index(below: 10) {
        case 0..<6: return day.drive()
        case 6..<8: return day.walk()
        case 8: return day.crossing()
        default: return day.sail()
        }
    }
}

/// Puts a day together from what its generator draws.
private struct RandomDay {
    private var random: SeededGenerator
    private let plane: LocalPlane

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        plane = LocalPlane(latitude: 120 * random.unit() - 60, longitude: 360 * random.unit() - 180)
    }

    /// Home, two to four stays with drives between them, and home.
    mutating func drive() -> Journey {
        var day = Itinerary(plane: plane)
        day.stay(at: "home", seconds: number(400, 2400), in: random.happens(0.5) ? .openSky : .indoors)
        let places = ["work", "shop", "friends", "school", "depot"]
        for _ in 0..<(2 + random.index(below: 3)) {
            drive(&day)
            stay(at: places[random.index(below: places.count)], &day)
        }
        drive(&day)
        day.stay(at: "home", seconds: number(600, 2400), in: .indoors)
        return day.journey()
    }

    /// A walk through a town, with shops and a rest.
    mutating func walk() -> Journey {
        var day = Itinerary(plane: plane, motion: .pedestrian)
        day.stay(at: "home", seconds: number(400, 1800), in: .indoors)
        for place in ["shop", "park", "café"].prefix(1 + random.index(below: 3)) {
            for _ in 0..<(2 + random.index(below: 4)) {
                leg(&day, 80, 350, kilometersPerHour: number(4, 6))
                if random.happens(0.3) { day.halt(number(10, 70)) }
            }
            stay(at: place, &day)
        }
        leg(&day, 300, 700, kilometersPerHour: 5)
        day.halt(5)
        return day.journey()
    }

    /// A drive to a ferry, a crossing and a drive from it.
    mutating func crossing() -> Journey {
        var day = Itinerary(plane: plane)
        day.halt(20)
        drive(&day)
        day.stay(at: "harbour", seconds: number(500, 2400))
        let course = 360 * random.unit()
        move(&day, 140, course: course, kilometersPerHour: 10)
        day.halt(number(60, 200))
        for _ in 0..<3 { move(&day, number(1500, 4000), course: course + number(-20, 20), kilometersPerHour: 24) }
        day.halt(number(60, 180))
        drive(&day)
        day.stay(at: "hotel", seconds: number(600, 3000), in: .indoors)
        return day.journey()
    }

    /// A boat that anchors, and sails on.
    mutating func sail() -> Journey {
        var day = Itinerary(plane: plane, motion: .boat)
        day.halt(10)
        for _ in 0..<2 {
            for _ in 0..<3 { leg(&day, 600, 2500, kilometersPerHour: number(6, 12)) }
            day.roam(
                at: "anchorage", spots: Journey.swing(radius: number(12, 40), times: 3 + random.index(below: 4)),
                kilometersPerHour: 0.4)
        }
        leg(&day, 900, 2500, kilometersPerHour: 9)
        return day.journey()
    }

    /// Legs of streets with red lights, and now and then a jam, a tunnel, street canyons or a petrol station.
    private mutating func drive(_ day: inout Itinerary) {
        let course = 360 * random.unit()
        let legs = 4 + random.index(below: 7)
        let peculiar = random.index(below: legs)
        for index in 0..<legs {
            let heading = course + number(-70, 70)
            move(&day, number(200, 1500), course: heading, kilometersPerHour: number(35, 100))
            if random.happens(0.35) { day.halt(number(8, 110)) }
            guard index == peculiar else { continue }
            switch random.index(below: 5) {
            case 0:
                let advances = (0..<(5 + random.index(below: 12))).map { _ in (number(35, 120), number(15, 75)) }
                day.jam(course: heading, advances: advances.map { (meters: $0.0, halt: $0.1) })
            case 1:
                day.enter(.tunnel)
                move(&day, number(400, 2500), course: heading, kilometersPerHour: 80)
                day.enter(.openSky)
            case 2:
                // The petrol station.
                move(&day, 150, course: heading, kilometersPerHour: 40)
                day.halt(number(150, 240))
                move(&day, 150, course: heading + 30, kilometersPerHour: 20)
            case 3:
                day.enter(.canyon)
                for _ in 0..<3 {
                    move(&day, number(150, 400), course: heading + number(-60, 60), kilometersPerHour: 35)
                    day.halt(number(10, 90))
                }
                day.enter(.openSky)
            default: break
            }
        }
    }

    /// A stay that follows from the place: outside, in a house, in a shop, or below decks of a car park.
    private mutating func stay(at place: String, _ day: inout Itinerary) {
        let seconds = number(400, 5000)
        switch random.index(below: 4) {
        case 0: day.stay(at: place, seconds: seconds)
        case 1: day.stay(at: place, seconds: seconds, in: .indoors)
        case 2:
            let course = 360 * random.unit()
            move(&day, 40, course: course, kilometersPerHour: 10)
            day.enter(.tunnel)
            move(&day, 25, course: course, kilometersPerHour: 8)
            day.stay(at: place, seconds: seconds, in: .tunnel)
        default:
            let spots = (0..<(4 + random.index(below: 6))).map { index in
                (PlanePoint(distance: number(6, 25), course: Double(index) * 130), number(60, 400))
            }
            day.roam(
                at: place, spots: spots.map { ($0.0, halt: $0.1) }, kilometersPerHour: 3, in: .indoors)
        }
    }

    private mutating func leg(_ day: inout Itinerary, _ least: Double, _ most: Double, kilometersPerHour: Double) {
        move(&day, number(least, most), course: 100 * random.unit(), kilometersPerHour: kilometersPerHour)
    }

    private func move(_ day: inout Itinerary, _ meters: Double, course: Double, kilometersPerHour: Double) {
        let leg = PlanePoint(distance: meters, course: course)
        day.go(east: leg.east, north: leg.north, kilometersPerHour: kilometersPerHour)
    }

    private mutating func number(_ least: Double, _ most: Double) -> Double {
        least + (most - least) * random.unit()
    }
}
