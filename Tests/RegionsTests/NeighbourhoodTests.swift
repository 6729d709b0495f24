import Glibc
import Location
import Regions
import TestSupport
import TestTraits
import Testing

@Suite(.computes) struct NeighbourhoodTests {
    private let field = Field()

    private func circle(
        _ number: Int64, east: Double, radius: Double = 50, state: RegionState = .outside
    ) throws -> MonitoredRegion {
        MonitoredRegion(
            number: number, region: try .circle(field.coordinate(east, 0), radius: radius), state: state)
    }

    private func neighbourhood(
        _ offered: [MonitoredRegion], maximumRegions: Int = 4, maximumPoints: Int = 1_000
    ) -> (neighbourhood: Neighbourhood, numbers: Set<Int64>) {
        var neighbourhood = Neighbourhood(
            of: field.fix(0, 0), for: RegionMonitor(), maximumRegions: maximumRegions, maximumPoints: maximumPoints)
        for region in offered { neighbourhood.offer(region) }
        let numbers = Set(neighbourhood.regions().map(\.number))
        return (neighbourhood, numbers)
    }

    @Test func `the regions with the nearest borders stay, and the first that does not limits the reach`() throws {
        let offered = try (1...50).map { try circle($0, east: Double($0) * 100) }.reversed()
        let (neighbourhood, numbers) = neighbourhood(Array(offered))
        #expect(numbers == [1, 2, 3, 4])
        #expect(abs(neighbourhood.reach - 450) < 0.1)
        #expect(neighbourhood.covers(field.fix(1, 440)) && !neighbourhood.covers(field.fix(1, 446)))
        #expect(neighbourhood.isPassDue(at: field.fix(1, 220)) && !neighbourhood.isPassDue(at: field.fix(1, 200)))
    }

    @Test func `a region around the machine with a distant border is left out once it is known`() throws {
        let around = try circle(1, east: 0, radius: 500_000, state: .inside)
        #expect(neighbourhood([around]).numbers == [])
        let unknown = try circle(2, east: 0, radius: 500_000, state: .unknown(.undetermined))
        let wrong = try circle(3, east: 0, radius: 500_000, state: .outside)
        let left = try circle(4, east: 900_000, state: .inside)
        #expect(neighbourhood([unknown, wrong, left]).numbers == [2, 3, 4])
    }

    @Test func `a region stays while a stay in it is not over, however many borders are nearer`() throws {
        let city = MonitoredRegion(
            number: 99, region: try .circle(field.coordinate(0, 0), radius: 5_000), dwell: 300, state: .outside)
        var monitor = RegionMonitor()
        monitor.insert(city)
        #expect(monitor.receive(field.fix(0, 0)) == [])
        var next = Neighbourhood(of: field.fix(1, 0), for: monitor, maximumRegions: 4)
        next.offer(city)
        for number in 1...50 { next.offer(try circle(Int64(number), east: Double(number) * 100)) }
        #expect(next.regions().map(\.number) == [99, 1, 2, 3])
    }

    @Test func `regions with many points are limited by their points`() throws {
        let line = (0...500).map { field.coordinate(Double($0), 100) }
        let corridor = try Region(.corridor(line: line, halfWidth: 5))
        let offered = (1...3).map { MonitoredRegion(number: $0, region: corridor, state: .outside) }
        let (neighbourhood, numbers) = neighbourhood(offered)
        #expect(numbers == [1])
        #expect(abs(neighbourhood.reach - 95) < 0.1)
    }

    @Test func `an interrupted pass is repeated at the next fix`() throws {
        var neighbourhood = Neighbourhood(of: field.fix(0, 0), for: RegionMonitor())
        neighbourhood.interrupt()
        #expect(!neighbourhood.covers(field.fix(1, 0)))
    }

    /// 1,500 regions, of which 200 are in memory, along a journey of 120 km.
    @Test(arguments: 0..<4)
    func `a monitor of the neighbourhood reports what one of all regions reports`(_ number: Int) throws {
        var generator = SeededGenerator(sample: 9_100 + UInt64(number))
        let field = [
            Field(), Field(latitude: 12, longitude: 180), Field(latitude: 89.9, longitude: 5), Field(latitude: -89.95),
        ][number]
        let stored: [MonitoredRegion] = try (0..<1_500).map { index in
            let east = Double.random(in: -60_000...60_000, using: &generator)
            let north = Double.random(in: -60_000...60_000, using: &generator)
            let radius = exp(Double.random(in: 2...9.5, using: &generator))
            return MonitoredRegion(
                number: Int64(index), region: try .circle(field.coordinate(east, north), radius: radius),
                dwell: index % 9 == 0 ? 30 : 0, loitering: index % 10 == 0 ? 300 : nil, state: .outside)
        }
        var all = RegionMonitor()
        for region in stored { all.insert(region) }
        var near = RegionMonitor()
        var states = Dictionary(uniqueKeysWithValues: stored.map { ($0.number, $0) })
        var neighbourhood: Neighbourhood?
        var (east, north, heading, seconds, passes, count) = (0.0, 0.0, 1.0, 0.0, 0, 0)
        for _ in 0..<600 {
            heading += Double.random(in: -0.3...0.3, using: &generator)
            if hypot(east, north) > 50_000 { heading = atan2(-north, -east) }
            (east, north) = (east + 200 * cos(heading), north + 200 * sin(heading))
            seconds += 8
            let fix = field.fix(seconds, east, north, accuracy: Double.random(in: 2...15, using: &generator))
            if neighbourhood?.covers(fix) != true {
                var next = Neighbourhood(of: fix, for: near, maximumRegions: 200)
                for region in states.values
                where region.state != .outside || region.region.bounds.distance(to: next.middle) < next.reach {
                    next.offer(region)
                }
                near.replaceRegions(next.regions())
                neighbourhood = next
                passes += 1
            }
            let events = near.receive(fix)
            #expect(events == all.receive(fix), "\(generator)")
            for (number, region) in near.regions { states[number] = region }
            #expect(near.regions.count <= 200)
            count += events.count
        }
        #expect(count > 20)
        #expect(passes < 400, "the regions in memory last for some fixes")
    }
}
