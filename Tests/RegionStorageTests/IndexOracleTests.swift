import Glibc
import Location
import Platform
import RegionStorage
import TestSupport
import TestTraits
import Testing

@testable import Regions

/// Regions all over the Earth, and fixes near their borders: what the store finds and the monitor decides is what
/// GeographicLib's distances say of every region at every fix.
///
/// `WAYMARK_ORACLE_PAIRS=10000000 swift test -c release -Xswiftc -enable-testing --filter IndexOracleTests` is the run of
/// Documentation/measurements.md.
@Suite(.computes, .enabled(if: GeographicLib.isInstalled, "geographiclib-tools is not installed"))
struct IndexOracleTests {
    private static let pairs = getenv("WAYMARK_ORACLE_PAIRS").flatMap { Int(String(cString: $0)) } ?? 50_000
    private static let regionCount = 1_000
    /// Fixes after which other regions take the place of these.
    private static let fixesOfRegions = 500
    /// Fixes for which GeographicLib is run once.
    private static let fixesAtOnce = 25
    private static let accuracy = 0.1

    @Test func `every region that a fix is inside is found, and no other is`() async throws {
        var generator = SeededGenerator(sample: 90_000)
        var (discs, index) = try await Self.regions(&generator)
        var (decided, undecided, inside, passes) = (0, 0, 0, 0)
        var step = 0
        while step < max(1, Self.pairs / Self.regionCount) {
            if step > 0, step % Self.fixesOfRegions == 0 { (discs, index) = try await Self.regions(&generator) }
            var fixes: [Fix] = []
            var pairs: [(Coordinate, Coordinate)] = []
            for _ in 0..<Self.fixesAtOnce {
                step += 1
                let fix = Self.fix(step, near: discs[Int.random(in: 0..<discs.count, using: &generator)], &generator)
                fixes.append(fix)
                pairs += discs.map { ($0.center, fix.coordinate) }
            }
            var distances = try GeographicLib.distances(pairs)[...]
            for fix in fixes {
                passes += try await index.receive(fix)
                for (number, disc) in discs.enumerated() {
                    let signed = (distances.popFirst() ?? .nan) - disc.radius
                    // Nearer to the border than the geometry is exact and the fix accurate, neither side is wrong.
                    guard abs(signed) > 4 * Self.accuracy + max(1, 0.001 * abs(signed)) + disc.roughness else {
                        undecided += 1
                        continue
                    }
                    decided += 1
                    if signed < 0 { inside += 1 }
                    guard index.states[number] != (signed < 0 ? .inside : .outside) else { continue }
                    Issue.record("\(disc) at \(signed) m, \(fix.coordinate): \(index.states[number])")
                }
            }
        }
        print(
            "regions and fixes: \(decided) pairs are decided, \(inside) of them inside, \(undecided) are too near, \(passes) passes"
        )
        #expect(inside > 0 && decided > 10 * undecided)
    }

    private static func regions(_ generator: inout SeededGenerator) async throws -> ([Disc], IndexedRegions) {
        let discs = (0..<regionCount).map { Disc(kind: $0 % 10, &generator) }
        return (discs, try await IndexedRegions(discs.map { try $0.region() }))
    }

    /// A fix near the border of a region, of a machine that moves, an hour after the one before: half of them anywhere within a half radius, the
    /// others within some metres.
    private static func fix(_ step: Int, near disc: Disc, _ generator: inout SeededGenerator) -> Fix {
        let widest = disc.radius / 2
        let beyond =
            step % 2 == 0
            ? Double.random(in: 0...widest, using: &generator)
            : min(widest, disc.roughness + 1.5 * exp(Double.random(in: 0...3, using: &generator)))
        let side = Bool.random(using: &generator) ? 1.0 : -1
        let line = Geodesic.Line(
            length: disc.radius + side * beyond,
            azimuth: Double.random(in: -Double.pi...Double.pi, using: &generator))
        return Fix(
            time: UTCTime(microseconds: 1_780_000_000_000_000 + Int64(step) * 3_600_000_000),
            receivedAt: UInt64(step) * 3_600_000_000_000, coordinate: Geodesic.end(of: line, from: disc.center),
            horizontalAccuracy: accuracy, speed: 10, speedAccuracy: 0.1)
    }
}

/// A region that is a disc but for its roughness, so that the distance to its centre decides: a circle, a polygon with
/// many corners, or a corridor that is short and wide.
private struct Disc: CustomStringConvertible {
    var center: Coordinate
    /// Metres.
    var radius: Double
    /// Metres by which the border may be elsewhere than at the radius.
    var roughness: Double
    private var kind: Kind

    private enum Kind { case circle, polygon, corridor }
    private static let corners = 64
    private static let corridorLength = 2.0

    /// Everywhere alike, and often at a pole or the antimeridian.
    init(kind number: Int, _ generator: inout SeededGenerator) {
        let latitude: Double
        let longitude: Double
        let side = Bool.random(using: &generator) ? 1.0 : -1
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            latitude = side * (90 - pow(10, Double.random(in: -6...1, using: &generator)))
            longitude = Double.random(in: -180...180, using: &generator)
        case 1:
            latitude = Double.random(in: -89...89, using: &generator)
            longitude = side * (180 - pow(10, Double.random(in: -6...1, using: &generator)))
        default:
            latitude = asin(Double.random(in: -1...1, using: &generator)) * 180 / .pi
            longitude = Double.random(in: -180...180, using: &generator)
        }
        center = Coordinate(clampedLatitude: latitude, clampedLongitude: longitude)
        switch number {
        case 0:
            kind = .polygon
            radius = exp(Double.random(in: log(5)...log(4_000_000), using: &generator))
            // The straight edge is that much nearer to the centre than the corners are: R (1 − cos(π/n)).
            roughness = radius * (1 - cos(.pi / Double(Self.corners)))
        case 1:
            kind = .corridor
            radius = exp(Double.random(in: log(5)...log(1_000_000), using: &generator))
            roughness = Self.corridorLength
        default:
            kind = .circle
            radius = exp(Double.random(in: 0...log(5_000_000), using: &generator))
            roughness = 0
        }
    }

    func region() throws(RegionError) -> Region {
        switch kind {
        case .circle: try .circle(center, radius: radius)
        case .polygon:
            try Region(
                .polygon(rings: [
                    (0..<Self.corners).map { place(radius, azimuth: 2 * .pi * Double($0) / Double(Self.corners)) }
                ]))
        case .corridor:
            try Region(.corridor(line: [center, place(Self.corridorLength, azimuth: 1)], halfWidth: radius))
        }
    }

    private func place(_ length: Double, azimuth: Double) -> Coordinate {
        Geodesic.end(of: Geodesic.Line(length: length, azimuth: azimuth), from: center)
    }

    var description: String { "a \(kind) of \(radius) m around \(center)" }
}

/// Regions in a store, monitored by the neighbourhoods that the store fills.
private final class IndexedRegions {
    private let directory: TemporaryDirectory
    private let bench: RegionBench
    private var monitor = RegionMonitor()
    /// The place of each region, by its number in the store.
    private var places: [Int64: Int] = [:]
    /// What is known about each region.
    private(set) var states: [RegionState]

    init(_ regions: [Region]) async throws {
        directory = try TemporaryDirectory()
        bench = try RegionBench(directory.path)
        states = Array(repeating: .unknown(.undetermined), count: regions.count)
        let new = regions.enumerated().map { NewRegion(identifier: "\($0.offset)", region: $0.element) }
        for start in stride(from: 0, to: new.count, by: 1_000) {
            try await bench.add(Array(new[start..<min(start + 1_000, new.count)]))
        }
        for region in try await bench.regions() { places[region.number] = Int(region.identifier) }
    }

    /// Handles a fix, to which the machine has jumped. Returns the number of passes over the stored regions.
    func receive(_ fix: Fix) async throws -> Int {
        // As in the daemon: passes until the neighbourhood covers the fix.
        for pass in 1...100 {
            var neighbourhood = try await bench.neighbourhood(of: fix, for: monitor)
            let covers = neighbourhood.covers(fix)
            monitor.replaceRegions(neighbourhood.regions(), coverage: neighbourhood.coverage)
            var changes: [RegionChange] = []
            for number in Set(monitor.receive(fix).map(\.region)) {
                guard let state = monitor.state(of: number), let place = places[number] else { continue }
                states[place] = state
                changes.append(RegionChange(number: number, state: state, since: fix.time))
            }
            if !changes.isEmpty { try await bench.record(changes: changes) }
            if covers { return pass }
        }
        throw RegionStorageError.overloaded
    }
}
