import Glibc
import Location
import Testing

@testable import Tracking

struct VisitDetectorTests {
    private var detector = VisitDetector()
    private var events: [VisitDetector.Event] = []

    private mutating func feed(_ seconds: ClosedRange<Int>, _ fix: (Double) throws -> Fix) rethrows {
        for second in seconds { events += detector.receive(try fix(Double(second))) }
    }

    /// Drives north at 15 m/s from so many seconds on, ending at the place.
    private mutating func arrive(_ seconds: ClosedRange<Int>) throws {
        let end = Double(seconds.upperBound)
        try feed(seconds) { try fix($0, north: 15 * ($0 - end), speed: 15, speedAccuracy: 0.2) }
    }

    private mutating func stand(_ seconds: ClosedRange<Int>) throws {
        try feed(seconds) { try fix($0, speed: 0.1, speedAccuracy: 0.2) }
    }

    /// Drives on at 15 m/s.
    private mutating func leave(_ seconds: ClosedRange<Int>) throws {
        let begin = Double(seconds.lowerBound)
        try feed(seconds) { try fix($0, north: 15 * ($0 - begin + 1), speed: 15, speedAccuracy: 0.2) }
    }

    private var visits: [Visit] {
        events.map { event in
            switch event {
            case .arrived(let visit), .departed(let visit): visit
            }
        }
    }

    @Test mutating func `a stay is reported after five minutes, and again when it has ended`() throws {
        try arrive(0...60)
        try stand(61...360)
        #expect(events.isEmpty)
        try stand(361...361)
        #expect(visits.map(\.arrival) == [time(61)] && visits.map(\.departure) == [nil])
        #expect(detector.current == visits[0])
        try stand(362...900)
        try leave(901...960)
        #expect(visits.count == 2)
        #expect(visits.last?.arrival == time(61) && visits.last?.departure == time(900))
        #expect(detector.current == nil)
        #expect(visits[1].coordinate.distance(to: try fix(0).coordinate) < 5)
        #expect(visits[1].horizontalAccuracy == 5)
    }

    @Test mutating func `a stay that began before the first fix has no arrival`() throws {
        try stand(0...400)
        #expect(visits.map(\.arrival) == [nil])
        try leave(401...430)
        #expect(visits.last?.arrival == nil && visits.last?.departure == time(400))
    }

    @Test(arguments: [60, 120, 240, 290])
    mutating func `a red light and a petrol stop are no stays`(seconds: Int) throws {
        try arrive(0...60)
        try stand(61...61 + seconds)
        try leave(62 + seconds...200 + seconds)
        #expect(events.isEmpty)
    }

    @Test mutating func `a traffic jam is no stay`() throws {
        // 30 m within 5 s of each minute.
        try feed(0...3600) { second in
            let minute = (second / 60).rounded(.down)
            let rest = second - 60 * minute
            let isMoving = rest < 5
            return try fix(
                second, north: 30 * minute + min(rest, 5) * 6, speed: isMoving ? 6 : 0, speedAccuracy: 0.2)
        }
        #expect(events.isEmpty)
    }

    @Test mutating func `losing the fix in a house does not end a stay`() throws {
        try arrive(0...60)
        try stand(61...400)
        events.removeAll()
        try stand(30_000...30_001)
        #expect(events.isEmpty && detector.current != nil)
        try leave(30_002...30_040)
        #expect(visits.map(\.arrival) == [time(61)] && visits.map(\.departure) == [time(30_001)])
    }

    @Test mutating func `a stay without any fix is reported when the fix returns at the same place`() throws {
        try arrive(0...60)
        try stand(61...63)
        try stand(9000...9000)
        #expect(visits.map(\.arrival) == [time(61)])
    }

    @Test mutating func `a fix that returns elsewhere ends the stay when it was left at the latest`() throws {
        try arrive(0...60)
        try stand(61...400)
        // 1,500 m at 15 m/s before.
        try feed(4000...4060) { try fix($0, north: 1500 + 15 * ($0 - 4000), speed: 15, speedAccuracy: 0.2) }
        let departure = try #require(visits.last?.departure)
        #expect(abs(departure.seconds(since: time(3900))) < 0.001)
    }

    @Test mutating func `a stay at a place where the fix returns after hours has no arrival`() throws {
        try arrive(0...60)
        try feed(9000...9300) { try fix($0, north: 5000, speed: 0, speedAccuracy: 0.2) }
        #expect(visits.map(\.arrival) == [nil])
    }

    @Test mutating func `reflected signals neither end a stay nor move its centre`() throws {
        try arrive(0...60)
        try stand(61...400)
        events.removeAll()
        for begin in stride(from: 401, to: 4000, by: 200) {
            try feed(begin...begin + 40) { try fix($0, east: 250, speed: 0.1, speedAccuracy: 0.2) }
            try stand(begin + 41...begin + 199)
        }
        #expect(events.isEmpty)
        let current = try #require(detector.current)
        #expect(current.coordinate.distance(to: try fix(0).coordinate) < 15)
    }

    @Test mutating func `one reflected signal does not make a stay begin anew`() throws {
        try arrive(0...60)
        try stand(61...200)
        try feed(201...215) { try fix($0, east: 150, speed: 0.1, speedAccuracy: 0.2) }
        try stand(216...361)
        #expect(visits.map(\.arrival) == [time(61)])
    }

    @Test mutating func `two minutes beyond 100 m end a stay, and less do not`() throws {
        try arrive(0...60)
        try stand(61...400)
        events.removeAll()
        try feed(401...520) { try fix($0, east: 130, speed: 0.1, speedAccuracy: 0.2) }
        #expect(events.isEmpty)
        try feed(521...521) { try fix($0, east: 130, speed: 0.1, speedAccuracy: 0.2) }
        #expect(visits.map(\.departure) == [time(400)])
    }

    @Test mutating func `a walk around the house of 90 m does not end a stay`() throws {
        try arrive(0...60)
        try stand(61...400)
        events.removeAll()
        try feed(401...700) { try fix($0, east: 90, speed: 1.3, speedAccuracy: 0.2) }
        #expect(events.isEmpty && detector.current != nil)
    }

    @Test mutating func `an inexact receiver has a larger place`() throws {
        try feed(0...60) { try fix($0, north: 15 * ($0 - 60), accuracy: 50, speed: 15, speedAccuracy: 0.2) }
        try feed(61...361) { second in
            try fix(second, east: second.truncatingRemainder(dividingBy: 2) * 120, accuracy: 50, speed: 0)
        }
        #expect(visits.count == 1)
    }

    @Test mutating func `fixes that are hardly fixes are no evidence`() throws {
        try feed(0...2000) { try fix($0, accuracy: 300) }
        #expect(events.isEmpty)
    }

    @Test mutating func `an anchored boat stays though it swings`() throws {
        try feed(0...300) { try fix($0, north: 3 * ($0 - 300), speed: 3, speedAccuracy: 0.1) }
        try feed(301...9000) { second in
            let angle = 0.002 * second
            return try fix(
                second, north: 40 * cos(angle) - 40, east: 40 * sin(angle), speed: 0.1, speedAccuracy: 0.1)
        }
        #expect(visits.count == 1)
        #expect(detector.current != nil)
    }

    @Test mutating func `a ferry is no stay`() throws {
        try arrive(0...60)
        try feed(61...3000) { try fix($0, north: 6.5 * ($0 - 60), speed: 6.5, speedAccuracy: 0.2) }
        #expect(events.isEmpty)
    }

    @Test mutating func `a stay that was stored goes on`() throws {
        try arrive(0...60)
        try stand(61...400)
        let stored = try #require(detector.stay)
        let visit = try #require(detector.current)
        detector = VisitDetector(
            resuming: Stay(
                centre: visit.coordinate, accuracy: visit.horizontalAccuracy, arrival: visit.arrival,
                first: stored.first, lastInside: stored.lastInside, isSimulated: false))
        events.removeAll()
        try stand(2000...2100)
        #expect(events.isEmpty)
        try leave(2101...2140)
        #expect(visits.map(\.arrival) == [time(61)] && visits.map(\.departure) == [time(2100)])
    }

    @Test mutating func `the next stay is found as well`() throws {
        try arrive(0...60)
        try stand(61...400)
        try leave(401...460)
        try feed(461...800) { try fix($0, north: 900, speed: 0.1, speedAccuracy: 0.2) }
        #expect(visits.count == 3)
        #expect(visits[2].arrival == time(461))
    }
}
