import Glibc
import Location
import Platform
import Regions
import TestSupport
import TestTraits
import Testing

@testable import RegionStorage

@Suite(.computes, .timeLimit(.minutes(15))) struct StoredNeighbourhoodTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static let time = UTCTime(microseconds: 1_800_000_000_000_000)

    /// A circle, a polygon or a corridor somewhere within about 200 km of a place.
    static func region(
        _ index: Int, around center: Coordinate, using generator: inout SeededGenerator
    ) throws -> NewRegion {
        func offset(_ metres: Double, from place: Coordinate) -> Coordinate {
            let azimuth = Double.random(in: 0..<360, using: &generator) * .pi / 180
            let point = SurfacePoint(place)
            let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
            let east = SurfacePoint(x: -sin(longitude), y: cos(longitude), z: 0)
            let north = SurfacePoint(
                x: -sin(latitude) * cos(longitude), y: -sin(latitude) * sin(longitude), z: cos(latitude))
            let (e, n) = (metres * sin(azimuth), metres * cos(azimuth))
            return SurfacePoint(
                x: point.x + e * east.x + n * north.x, y: point.y + e * east.y + n * north.y,
                z: point.z + e * east.z + n * north.z
            ).coordinate
        }
        let place = offset(exp(Double.random(in: 2...12, using: &generator)), from: center)
        let size = exp(Double.random(in: 1...10, using: &generator))
        let shape: Region.Shape
        switch index % 3 {
        case 0: shape = .circle(center: place, radius: size)
        case 1:
            // A triangle that is none too narrow.
            let corners = [0.0, 2.1, 4.2].map { angle in
                SurfacePoint(place).moved(
                    east: size * 2 * sin(angle), north: size * 2 * cos(angle), at: place)
            }
            shape = .polygon(rings: [corners])
        default: shape = .corridor(line: [place, offset(size, from: place)], halfWidth: max(1, size / 10))
        }
        return NewRegion(identifier: "region \(index)", region: try Region(shape))
    }

    @Test(arguments: [
        (47.0, 8.0), (12, 180), (-12, -179.99), (89.9, 5), (-89.95, 100), (90, 0), (0, 0), (-33, 151),
    ]) func `the store offers what a search of all regions finds`(_ latitude: Double, _ longitude: Double) async throws
    {
        let center = Coordinate(clampedLatitude: latitude, clampedLongitude: longitude)
        var generator = SeededGenerator(seed: UInt64(bitPattern: Int64(latitude * 1_000 + longitude)))
        let bench = try RegionBench(directory.path)
        try await bench.add(try (0..<1_500).map { try Self.region($0, around: center, using: &generator) })
        // Others' regions are never offered.
        try await bench.add(
            try (0..<200).map { try Self.region($0, around: center, using: &generator) },
            to: MonitorKey(owner: RegionOwner(uid: 2_000, app: nil), name: "yard"))
        let stored = try await bench.regions()
        let changes = stored.enumerated().map { index, region in
            let isInside = region.region.signedDistance(to: center) < 0
            // A few are wrong, and a few unknown.
            let state: RegionState =
                index % 50 == 0 ? .unknown(.fixLost) : isInside != (index % 40 == 0) ? .inside : .outside
            return RegionChange(number: region.number, state: state, since: Self.time)
        }
        try await bench.record(changes: changes)
        for (accuracy, place) in [(3.0, center), (500, center), (5_000, stored[7].region.somewhere)] {
            let fix = Fix.at(place, accuracy: accuracy)
            var expected = Neighbourhood(of: fix, for: RegionMonitor())
            for (region, change) in zip(stored, changes) {
                expected.offer(StoredRegion(region, change.state, Self.time).monitored)
            }
            var found = try await bench.neighbourhood(of: fix)
            let (all, near) = (expected.regions(), found.regions())
            #expect(found.reach == expected.reach && near.count == all.count)
            // A stored state that is outside and wrong is found if it is near: far away, it cannot be wrong.
            #expect(Set(near.map(\.number)).isSubset(of: all.map(\.number)))
            for region in all where !near.contains(region) {
                #expect(
                    region.region.bounds.distance(to: SurfacePoint(place)) >= found.reach && region.state == .outside)
            }
        }
    }

    @Test func `in a crowd the nearest regions are in memory, and the pass does not look at all`() async throws {
        let bench = try RegionBench(directory.path)
        for start in 0..<5 {
            try await bench.add(
                try (0..<1_000).map { index in
                    let number = start * 1_000 + index
                    return try .circle("stop \(number)", east: Double(number) * 1.9 + 3, radius: 2)
                })
        }
        let stored = try await bench.regions()
        try await bench.record(
            changes: stored.map { RegionChange(number: $0.number, state: .outside, since: Self.time) })
        let fix = Fix.at(.near(0, 0))
        var found = try await bench.neighbourhood(of: fix)
        var expected = Neighbourhood(of: fix, for: RegionMonitor())
        for region in stored { expected.offer(StoredRegion(region, .outside, Self.time).monitored) }
        #expect(Set(found.regions().map(\.number)) == Set(expected.regions().map(\.number)))
        #expect(found.reach == expected.reach && found.reach < 2_500)
    }

    @Test func `very many undecided regions are offered bit by bit, and the near ones each time`() async throws {
        var options = RegionStoreOptions()
        options.undecidedAtOnce = 100
        let bench = try RegionBench(directory.path, options: options)
        try await bench.add(try (0..<900).map { try .circle("far \($0)", east: 400_000 + Double($0) * 200) })
        try await bench.add(try (0..<5).map { try .circle("near \($0)", east: Double($0) * 200) }, to: .depot)
        let fix = Fix.at(.near(0, 0))
        var passes = 0
        var decided: Set<Int64> = []
        while true {
            var found = try await bench.neighbourhood(of: fix)
            let regions = found.regions()
            passes += 1
            #expect(regions.filter { $0.region.signedDistance(to: SurfacePoint(fix.coordinate)) < 10_000 }.count == 5)
            let far = regions.filter { $0.region.signedDistance(to: SurfacePoint(fix.coordinate)) > 10_000 }
            #expect(far.count <= 100)
            decided.formUnion(far.map(\.number))
            try await bench.record(
                changes: far.map { RegionChange(number: $0.number, state: .outside, since: Self.time) })
            if found.covers(fix) { break }
        }
        #expect(passes == 9 && decided.count == 900)
        // A region that the machine was in is offered from anywhere.
        let inside = try #require(decided.first)
        try await bench.record(changes: [RegionChange(number: inside, state: .inside, since: Self.time)])
        var found = try await bench.neighbourhood(of: .at(.near(-50_000, 0)))
        #expect(Set(found.regions().map(\.number)).contains(inside))
    }

    @Test func `the box in the index contains the region's own box`() async throws {
        let bench = try RegionBench(directory.path)
        var generator = SeededGenerator(seed: 5)
        let center = Coordinate(clampedLatitude: 47, clampedLongitude: 8)
        let regions = try (0..<300).map { try Self.region($0, around: center, using: &generator) }
        try await bench.add(regions)
        try await bench.close()
        let rows = try CompletedProcess.run(
            "/usr/bin/sqlite3",
            [
                "-separator", " ", directory.file("regions.sqlite"),
                """
                SELECT substr(identifier, 8), lowX, highX, lowY, highY, lowZ, highZ
                FROM boxes JOIN regions USING (number)
                """,
            ], seconds: 60
        ).output.split(separator: "\n").map { $0.split(separator: " ").compactMap { Double($0) } }
        #expect(rows.count == 300)
        for row in rows {
            let bounds = regions[Int(row[0])].region.bounds
            // Numbers are printed with 15 digits.
            let slack = 1e-6
            #expect(row[1] <= bounds.low.x + slack && row[2] >= bounds.high.x - slack)
            #expect(row[3] <= bounds.low.y + slack && row[4] >= bounds.high.y - slack)
            #expect(row[5] <= bounds.low.z + slack && row[6] >= bounds.high.z - slack)
            #expect(row[1] > bounds.low.x - 2 && row[2] < bounds.high.x + 2)
        }
    }
}

extension Region {
    /// A point near the region.
    var somewhere: Coordinate {
        SurfacePoint(
            x: (bounds.low.x + bounds.high.x) / 2, y: (bounds.low.y + bounds.high.y) / 2,
            z: (bounds.low.z + bounds.high.z) / 2
        ).coordinate
    }
}

extension SurfacePoint {
    fileprivate func moved(east: Double, north: Double, at place: Coordinate) -> Coordinate {
        let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
        return SurfacePoint(
            x: x - east * sin(longitude) - north * sin(latitude) * cos(longitude),
            y: y + east * cos(longitude) - north * sin(latitude) * sin(longitude), z: z + north * cos(latitude)
        ).coordinate
    }
}
