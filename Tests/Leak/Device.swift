import Cryptography
import Glibc
import Location
import TestSupport
import Testing
import Tracking

/// A machine with a key of its own, as the attacks see it.
struct Device {
    let field: OffsetField
    var accuracy: ReducedAccuracy

    init(using generator: inout SeededGenerator) throws {
        let bytes = (0..<DeviceKey.size).map { _ in UInt8.random(in: 0...255, using: &generator) }
        self.init(try #require(DeviceKey(bytes: bytes)))
    }

    init(_ key: DeviceKey) {
        field = OffsetField(keyIdentifier: key.identifier) { key.digest($0, $1, $2) }
        accuracy = ReducedAccuracy(field: field, at: Self.instant(0))
    }

    /// This number of seconds after a tick, by both clocks.
    static func instant(_ seconds: Double) -> Instant {
        let start: Int64 = 1_795_262_400
        return Instant(
            monotonicNanoseconds: 1_000_000_000 + UInt64(seconds * 1e9),
            utc: UTCTime(microseconds: start * 1_000_000 + Int64(seconds * 1e6)))
    }

    static func fix(at place: Coordinate) -> Fix {
        Fix(time: UTCTime(microseconds: 0), receivedAt: 0, coordinate: place, horizontalAccuracy: 5)
    }

    /// Anything a receiver might say of a place.
    static func arbitraryFix(at place: Coordinate, using generator: inout SeededGenerator) -> Fix {
        func some(_ range: ClosedRange<Double>) -> Double? {
            Bool.random(using: &generator) ? Double.random(in: range, using: &generator) : nil
        }
        return Fix(
            time: UTCTime(microseconds: Int64.random(in: 0...2_000_000_000_000_000, using: &generator)),
            receivedAt: UInt64.random(in: 0...UInt64.max, using: &generator), coordinate: place,
            horizontalAccuracy: Double.random(in: 0.01...100_000, using: &generator), altitude: some(-400...9_000),
            ellipsoidalAltitude: some(-400...9_000), verticalAccuracy: some(1...100), speed: some(0...300),
            speedAccuracy: some(0...5), course: some(0...359), courseAccuracy: some(0...180), climb: some(-20...20),
            quality: FixQuality.allCases.randomElement(using: &generator),
            receiver: ["", "/dev/ttyUSB0", "/dev/pts/7"].randomElement(using: &generator) ?? "")
    }

    /// Another place of the same cell.
    func stranger(to place: Coordinate, using generator: inout SeededGenerator) throws -> Coordinate {
        let cell = try cell(at: place)
        for _ in 0..<200 {
            let other = try place.moved(
                north: Double.random(in: -4_000...4_000, using: &generator),
                east: Double.random(in: -4_000...4_000, using: &generator))
            if try self.cell(at: other) == cell { return other }
        }
        return place
    }

    /// The cell shown for a place without any earlier cells, a state that no attacker can cause.
    func cell(at place: Coordinate) throws -> ReducedCell {
        var fresh = ReducedAccuracy(field: field, at: Self.instant(0))
        let reduced = fresh.reduce(Self.fix(at: place), at: Self.instant(0))
        return try #require(reduced).cell
    }

    /// The shown cells when the receiver reports these places, one at each tick.
    mutating func cells(at places: [Coordinate]) throws -> [ReducedCell] {
        var cells: [ReducedCell] = []
        cells.reserveCapacity(places.count)
        for (tick, place) in places.enumerated() {
            _ = accuracy.reduce(Self.fix(at: place), at: Self.instant(Double(tick) * 1_200 + 0.4))
            cells.append(try #require(accuracy.current).cell)
        }
        return cells
    }
}

/// How much of the full scale is run: WAYMARK_LEAK_SCALE, a share; a tenth by default.
func scaled(_ full: Int, least: Int = 1) -> Int {
    let share = getenv("WAYMARK_LEAK_SCALE").flatMap { Double(String(cString: $0)) } ?? 0.1
    return max(least, Int(Double(full) * min(max(share, 0), 1)))
}

extension Coordinate {
    /// A place where people live, uniform over the Earth between 60° south and 70° north.
    static func random(using generator: inout SeededGenerator) throws -> Coordinate {
        let height = Double.random(in: sin(-Double.pi / 3)...sin(70 * Double.pi / 180), using: &generator)
        return try #require(
            Coordinate(
                latitude: asin(height) * 180 / .pi, longitude: Double.random(in: -180...180, using: &generator)))
    }

    static let metresPerDegree = meanEarthRadius * Double.pi / 180

    /// The place at this distance in metres, for tens of kilometres.
    func moved(north: Double, east: Double) throws -> Coordinate {
        let scale = cos(latitude * .pi / 180)
        let longitude = self.longitude + east / (Self.metresPerDegree * scale)
        let wrapped = longitude - ((longitude + 180) / 360).rounded(.down) * 360
        return try #require(Coordinate(latitude: latitude + north / Self.metresPerDegree, longitude: wrapped))
    }

    /// Metres to the north and to the east of another place.
    func displaced(from other: Coordinate) -> (north: Double, east: Double) {
        var turn = longitude - other.longitude
        if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
        let scale = cos((latitude + other.latitude) / 2 * .pi / 180)
        return ((latitude - other.latitude) * Self.metresPerDegree, turn * Self.metresPerDegree * scale)
    }

    /// A near place, by a receiver's error or a person's stroll: normally distributed, with this deviation on each
    /// axis, metres.
    func scattered(by metres: Double, using generator: inout SeededGenerator) throws -> Coordinate {
        let radius = metres * (-2 * log(Double.random(in: 1e-300..<1, using: &generator))).squareRoot()
        let angle = Double.random(in: 0..<(2 * .pi), using: &generator)
        return try moved(north: radius * cos(angle), east: radius * sin(angle))
    }
}

extension [Double] {
    /// The quantile for this share.
    func quantile(_ share: Double) -> Double {
        let sorted = self.sorted()
        return sorted[Swift.min(count - 1, Int(share * Double(count)))]
    }

    var median: Double { quantile(0.5) }
}
