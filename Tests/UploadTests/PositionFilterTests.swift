import Location
import Testing

@testable import Upload

/// Which positions of a recording a destination receives.
@Suite struct PositionFilterTests {
    /// A position at a distance to the east of the sample's place, metres, and a time, seconds.
    private static func position(
        _ metres: Double = 0, at seconds: Double, accuracy: Double = 5, latitude: Double = 0,
        from longitude: Double = 0, reduced: Bool = false
    ) -> Position {
        let degrees = metres / (Coordinate.meanEarthRadius * .pi / 180)
        var east = longitude + degrees
        if east > 180 { east -= 360 }
        return Position(
            timestamp: 1_780_300_800 + seconds, coordinate: Samples.coordinate(latitude, east),
            horizontalAccuracy: accuracy, accuracy: reduced ? .reduced : .full)
    }

    private static func chosen(_ positions: [Position], _ limits: PositionFilter.Limits) -> [Int] {
        var filter = PositionFilter()
        return positions.indices.filter { filter.admits(positions[$0], limits) }
    }

    @Test func `without limits every position passes`() {
        let positions = (0..<20).map { Self.position(at: Double($0) / 10) }
        #expect(Self.chosen(positions, PositionFilter.Limits()) == Array(0..<20))
    }

    @Test func `ten positions a second become one`() {
        let positions = (0..<600).map { Self.position(2 * Double($0), at: Double($0) / 10) }
        let limits = PositionFilter.Limits(interval: .seconds(1))
        #expect(Self.chosen(positions, limits) == Array(stride(from: 0, to: 600, by: 10)))
    }

    @Test func `a distance is that from the last chosen position`() {
        let positions = (0..<100).map { Self.position(3 * Double($0), at: Double($0)) }
        #expect(Self.chosen(positions, PositionFilter.Limits(distance: 100)) == [0, 34, 68])
        // East across the 180th meridian.
        let across = (0..<100).map { Self.position(3 * Double($0), at: Double($0), from: 179.999) }
        #expect(Self.chosen(across, PositionFilter.Limits(distance: 100)) == [0, 34, 68])
        // All longitudes are one place at a pole.
        let pole = (0..<100).map { Self.position(at: Double($0), latitude: 90, from: Double($0)) }
        #expect(Self.chosen(pole, PositionFilter.Limits(distance: 1)) == [0])
    }

    @Test func `interval and distance both have to be reached`() {
        let limits = PositionFilter.Limits(distance: 10, interval: .seconds(5))
        let positions = [
            Self.position(at: 0), Self.position(50, at: 4), Self.position(9, at: 6), Self.position(10.5, at: 7),
            Self.position(25, at: 11.9), Self.position(25, at: 12),
        ]
        #expect(Self.chosen(positions, limits) == [0, 3, 5])
    }

    @Test func `a parked car reports once in five minutes, and at once when it moves`() {
        let limits = PositionFilter.Limits(interval: .seconds(1), stationary: .seconds(300))
        // A day at one report a second, with a place that wanders within its accuracy.
        var positions = (0..<86_400).map { Self.position(4 * Double($0 % 7) / 7, at: Double($0)) }
        positions.append(Self.position(30, at: 86_401))
        #expect(Self.chosen(positions, limits) == Array(stride(from: 0, to: 86_400, by: 300)) + [86_400])
    }

    @Test func `a device that moves slowly is no device that stands still`() {
        let limits = PositionFilter.Limits(interval: .seconds(1), stationary: .seconds(300))
        let positions = (0..<60).map { Self.position(1.4 * Double($0), at: Double($0)) }
        // 5 m of accuracy are passed with each fourth step.
        #expect(Self.chosen(positions, limits) == Array(stride(from: 0, to: 60, by: 4)))
    }

    @Test func `positions that are too inaccurate are left out, and no reference for others`() {
        let limits = PositionFilter.Limits(distance: 100, accuracy: 50)
        let positions = [
            Self.position(at: 0, accuracy: 51), Self.position(at: 1), Self.position(5_000, at: 2, accuracy: 900),
            Self.position(100.5, at: 3, accuracy: 50),
        ]
        #expect(Self.chosen(positions, limits) == [1, 3])
    }

    @Test func `a clock that was set back stops nothing`() {
        let limits = PositionFilter.Limits(interval: .seconds(10), stationary: .seconds(300))
        let positions = [
            Self.position(at: 7_200), Self.position(at: 0), Self.position(at: 9), Self.position(100, at: 10),
        ]
        #expect(Self.chosen(positions, limits) == [0, 1, 3])
    }

    @Test func `positions of reduced accuracy always pass`() {
        let limits = PositionFilter.Limits(
            distance: 100, interval: .seconds(60), accuracy: 50, stationary: .seconds(300))
        let positions = (0..<3).map { Self.position(at: Double($0), accuracy: 7_000, reduced: true) }
        #expect(Self.chosen(positions, limits) == [0, 1, 2])
    }

    @Test func `limits are those of the format unless the configuration has others`() {
        var configuration = Samples.configuration(.owntracks)
        #expect(configuration.limits == PositionFilter.Limits())
        configuration.filter = UploadConfiguration.Filter()
        #expect(configuration.limits == UploadFormat.owntracks.limits)
        configuration.filter.distance = .value(7)
        configuration.filter.stationary = .none
        #expect(configuration.limits == PositionFilter.Limits(distance: 7))
    }

    @Test func `a flush acknowledges the positions that were left out at once`() throws {
        var configuration = Samples.configuration(.overland)
        configuration.filter.stationary = .value(.seconds(60))
        var bench = Bench(configuration)
        bench.record()
        try bench.serve()
        for _ in 0..<5 { bench.record() }
        #expect(bench.cursor == 1)
        bench.act { $0.flush(at: $1) }
        bench.pass(.seconds(1))
        #expect(bench.cursor == 6 && bench.open.isEmpty)
    }

    @Test func `positions that are left out are settled and counted, and neither sent nor acknowledged one by one`()
        throws
    {
        var configuration = Samples.configuration(.overland)
        configuration.filter.stationary = .value(.seconds(60))
        var bench = Bench(configuration)
        bench.record()
        try bench.serve()
        #expect(bench.cursor == 1)
        // The samples are one place, and one second apart.
        for _ in 0..<5 { bench.record() }
        #expect(bench.open.isEmpty && bench.state == .idle)
        #expect(bench.uploader.report.filtered == 5 && bench.uploader.report.sent == 1)
        #expect(bench.cursor == 1)
        bench.pass(.seconds(10))
        #expect(bench.cursor == 6)
        // The next one that passes is acknowledged at once, with those before it.
        bench.record(60)
        try bench.serve()
        #expect(bench.uploader.report.sent == 2)
        #expect(bench.sent.map { $0.positions.map(\.sequence) } == [[1], [61]])
    }

    @Test func `after a restart the first position passes`() throws {
        var configuration = Samples.configuration(.overland)
        configuration.filter.stationary = .value(.seconds(60))
        var bench = Bench(configuration, positions: 3)
        try bench.serve()
        #expect(bench.sent.map { $0.positions.map(\.sequence) } == [[1]])
    }
}
