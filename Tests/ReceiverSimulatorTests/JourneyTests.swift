import Location
import Testing

@testable import ReceiverSimulator

struct JourneyTests {
    private func travelled(_ journey: Journey, _ stay: Journey.Stay) throws -> Double {
        let (begin, end) = (stay.arrival ?? 0, stay.departure ?? journey.duration)
        let places = stride(from: begin, through: end, by: 10).compactMap { journey.coordinate(at: $0) }
        return places.map { $0.distance(to: stay.coordinate) }.max() ?? 0
    }

    /// The journey of a scenario, or that of a seed.
    private func journey(_ name: String) throws -> Journey {
        if let seed = UInt64(name) { return .random(seed: seed) }
        return try #require(Preset.named(name)?.journey)
    }

    @Test(arguments: ["commute", "ferry", "anchorage"] + (1...30).map { "\($0)" })
    func `during a stay the traveller is near its middle, and before and after it is not there`(name: String) throws {
        let journey = try journey(name)
        #expect(!journey.stays.isEmpty)
        for stay in journey.stays {
            #expect(try travelled(journey, stay) < 60, "\(stay)")
            #expect((stay.departure ?? journey.duration) - (stay.arrival ?? 0) >= 300)
            if let arrival = stay.arrival {
                #expect(journey.route.state(at: arrival - 2).speed > 0)
                #expect(try #require(journey.coordinate(at: arrival - 300)).distance(to: stay.coordinate) > 60)
            }
            if let departure = stay.departure { #expect(journey.route.state(at: departure + 2).speed > 0) }
        }
    }

    @Test func `outside its stays the commute has halts of less than five minutes only`() {
        let journey = Journey.commute
        var longest = 0.0
        var halted = 0.0
        for second in stride(from: 0, to: journey.duration, by: 1) {
            let isStay = journey.stays.contains { ($0.arrival ?? 0) <= second && second <= $0.departure ?? .infinity }
            halted = !isStay && journey.route.state(at: second).speed == 0 ? halted + 1 : 0
            longest = max(longest, halted)
        }
        #expect((230...250).contains(longest))
    }

    @Test func `the petrol stop, the jam and the car park are in the commute`() {
        let journey = Journey.commute
        #expect(journey.stays.map(\.place) == ["home", "work", "shop", "friends"])
        #expect(journey.stays.first?.arrival == nil && journey.stays.last?.departure == nil)
        let work = journey.stays[1]
        let lost = JourneyFixes(of: journey, seed: 1).filter { $0.fix == nil }.map(\.seconds)
        for second in [(work.arrival ?? 0) + 100, (work.departure ?? 0) - 100] {
            #expect(lost.contains(second.rounded()))
        }
    }

    @Test func `the same seed gives the same journey and the same fixes`() {
        let (first, second) = (Journey.random(seed: 9), Journey.random(seed: 9))
        #expect(first.stays == second.stays && first.duration == second.duration)
        #expect(JourneyFixes(of: first, seed: 3).map(\.fix) == JourneyFixes(of: second, seed: 3).map(\.fix))
        #expect(Journey.random(seed: 10).stays != first.stays)
    }

    @Test func `the errors of fixes are as large as they say, and one is like that of the second before`() throws {
        let journey = Journey.anchorage
        var inside = 0
        var errors: [PlanePoint] = []
        for epoch in JourneyFixes(of: journey, seed: 5) {
            let fix = try #require(epoch.fix)
            let plane = LocalPlane(latitude: epoch.truth.latitude, longitude: epoch.truth.longitude)
            let scale = plane.degrees(of: PlanePoint(east: 1, north: 1))
            let error = PlanePoint(
                east: (fix.coordinate.longitude - plane.longitude) / (scale.longitude - plane.longitude),
                north: (fix.coordinate.latitude - plane.latitude) / (scale.latitude - plane.latitude))
            errors.append(error)
            if error.length <= fix.horizontalAccuracy { inside += 1 }
        }
        let share = Double(inside) / Double(errors.count)
        #expect((0.6...0.76).contains(share), "\(share) of the errors are within the 68 % radius")
        let steps = zip(errors, errors.dropFirst()).map { before, after in (after - before).length }
        let usual: Double = errors.reduce(0) { $0 + $1.length } / Double(errors.count)
        let usualStep: Double = steps.reduce(0, +) / Double(steps.count)
        #expect(usualStep < 0.5 * usual)
    }

    @Test func `in a house fixes jump and are lost for minutes`() throws {
        let journey = Journey.ferry
        let hotel = try #require(journey.stays.last)
        let epochs = (1...6).flatMap { seed in
            JourneyFixes(of: journey, seed: seed).filter { $0.seconds > (hotel.arrival ?? 0) }
        }
        let lost = Double(epochs.count { $0.fix == nil }) / Double(epochs.count)
        #expect((0.1...0.6).contains(lost))
        #expect(epochs.compactMap(\.fix).contains { $0.coordinate.distance(to: hotel.coordinate) > 50 })
    }

    @Test func `the table has the stays with their times, and none where the recording begins or ends`() throws {
        let scenario = try #require(Preset.named("commute")).scenario()
        let lines = VisitTable.lines(of: scenario)
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix(",2026-06-01T08:20:00.000Z,47.58000000,21.12000000,home"))
        #expect(lines[3].hasPrefix("2026-") && lines[3].contains("Z,,"))
        let short = try #require(Preset.named("commute")).scenario(duration: 600)
        #expect(VisitTable.lines(of: short) == [",,47.58000000,21.12000000,home\n"])
    }
}
