import Glibc
import Location
import TestSupport
import Testing
import Tracking

/// L3: a person who is seen to step from one cell into the next has not revealed the position.
struct BorderTests {
    private struct Heading {
        let north: Double
        let east: Double

        init(using generator: inout SeededGenerator) {
            let angle = Double.random(in: 0..<(2 * .pi), using: &generator)
            (north, east) = (cos(angle), sin(angle))
        }
    }

    /// The point of a straight walk of at most this number of metres where something changes first, to 10 cm.
    private func change(
        from start: Coordinate, _ heading: Heading, length: Double, of look: (Coordinate) throws -> some Equatable
    ) throws -> (before: Coordinate, after: Coordinate)? {
        func place(_ metres: Double) throws -> Coordinate {
            try start.moved(north: heading.north * metres, east: heading.east * metres)
        }
        let first = try look(start)
        var (low, high) = (0.0, 0.0)
        repeat {
            low = high
            high += 250
            if high > length { return nil }
        } while try look(try place(high)) == first
        while high - low > 0.1 {
            let middle = (low + high) / 2
            if try look(try place(middle)) == first { low = middle } else { high = middle }
        }
        return (try place(low), try place(high))
    }

    /// Which cube of the offset field a place is in: public knowledge.
    private func cube(of place: Coordinate) -> SIMD3<Double> {
        let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
        let radius = Coordinate.meanEarthRadius / OffsetField.cube
        return (radius * SIMD3(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)))
            .rounded(.down)
    }

    private func evaluate(_ title: String, _ errors: [Double], _ generator: SeededGenerator) {
        let (median, low) = (errors.median, errors.quantile(0.05))
        print("L3: \(title), \(errors.count) crossings: median \(Int(median)) m, 5th percentile \(Int(low)) m")
        #expect(median >= 1_000, "\(title), \(generator)")
        #expect(low >= 100, "\(title), \(generator)")
    }

    @Test func `a person seen to cross a border can be anywhere along kilometres of it`() throws {
        var generator = SeededGenerator(sample: 2)
        var (errors, across, corners): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<scaled(4_000) {
            let device = try Device(using: &generator)
            let heading = Heading(using: &generator)
            let start = try Coordinate.random(using: &generator)
            guard let crossing = try change(from: start, heading, length: 12_000, of: device.cell) else { continue }
            let (before, after) = (try device.cell(at: crossing.before), try device.cell(at: crossing.after))
            let guess = try Attack.border(of: before, and: after)
            let displaced = guess.displaced(from: crossing.after)
            errors.append(guess.distance(to: crossing.after))
            across.append(abs(before.band == after.band ? displaced.east : displaced.north))
            // An observer who sees both axes cross at one place knows everything except the offset.
            let offset = device.field.offset(at: crossing.after)
            corners.append(
                ReducedCell.size * (offset.north * offset.north + offset.east * offset.east).squareRoot())
        }
        evaluate("any border", errors, generator)
        evaluate("a corner, both axes at once", corners, generator)
        print("L3: across the border alone: median \(Int(across.median)) m")
        #expect(across.median >= 1_000, "\(generator)")
    }

    @Test func `a border beside a cube's face reveals no more than another`() throws {
        var generator = SeededGenerator(sample: 2)
        var errors: [Double] = []
        for _ in 0..<scaled(20_000) {
            let device = try Device(using: &generator)
            let heading = Heading(using: &generator)
            let start = try Coordinate.random(using: &generator)
            guard let face = try change(from: start, heading, length: 40_000, of: cube(of:)) else { continue }
            let near = try face.before.moved(north: -1_000 * heading.north, east: -1_000 * heading.east)
            guard let crossing = try change(from: near, heading, length: 2_000, of: device.cell) else { continue }
            let (before, after) = (try device.cell(at: crossing.before), try device.cell(at: crossing.after))
            errors.append(try Attack.border(of: before, and: after).distance(to: crossing.after))
        }
        evaluate("a border within 1 km of a cube's face", errors, generator)
    }

    /// In how many of such crossings of a cube's face the cell changes within the same 10 cm.
    private func shareSeen(
        crossings: Int, using generator: inout SeededGenerator,
        _ show: (Device, Coordinate) throws -> ReducedCell
    ) throws -> Double {
        var (faces, seen) = (0, 0)
        for _ in 0..<crossings {
            let device = try Device(using: &generator)
            let start = try Coordinate.random(using: &generator)
            let heading = Heading(using: &generator)
            guard let face = try change(from: start, heading, length: 40_000, of: cube(of:)) else { continue }
            faces += 1
            if try show(device, face.before) != show(device, face.after) { seen += 1 }
        }
        return Double(seen) / Double(max(faces, 1))
    }

    @Test func `crossing a cube's face is invisible, unlike with a separate offset for each cube`() throws {
        var generator = SeededGenerator(sample: 2)
        let count = scaled(4_000)
        let share = try shareSeen(crossings: count, using: &generator) { try $0.cell(at: $1) }
        // The attack, on the offset as it was first drawn: one for each cube, here that of the cube's corner.
        let corners = try shareSeen(crossings: count, using: &generator) { device, place in
            let corner = cube(of: place)
            var key = SeededGenerator(
                seed: device.field.keyIdentifier &+ UInt64(bitPattern: Int64(corner.x) << 40)
                    &+ UInt64(bitPattern: Int64(corner.y) << 20) &+ UInt64(bitPattern: Int64(corner.z)))
            return ReducedCell(
                containing: place, movedNorth: Double.random(in: -0.5...0.5, using: &key),
                movedEast: Double.random(in: -0.5...0.5, using: &key))
        }
        print("L3: crossings of a cube's face that are seen: \(share * 100) %, with an offset each \(corners * 100) %")
        #expect(share < 0.01, "\(generator)")
        #expect(corners > 0.4, "the attack itself must work")
    }

    @Test(arguments: [90.0, -90, 89.95, 0, 66.5], [180.0, -180, 0, 45])
    func `the offset is continuous everywhere, at the poles and at 180 degrees too`(
        latitude: Double, longitude: Double
    ) throws {
        var generator = SeededGenerator(sample: 2)
        let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
        for _ in 0..<scaled(1_000) {
            let device = try Device(using: &generator)
            let offset = device.field.offset(at: place)
            // A position a metre off, across the pole or the meridian.
            for turn in [0.0, 90, 180, 270] {
                let step = 1 / Coordinate.metresPerDegree
                let near = abs(latitude) == 90 ? turn - 180 : (longitude == 180 ? -180 + step : longitude)
                let pole = max(-90, min(90, latitude + (latitude > 0 ? -step : step)))
                let other = try #require(Coordinate(latitude: pole, longitude: near))
                let beside = device.field.offset(at: other)
                #expect(abs(beside.north - offset.north) * ReducedCell.size < 5, "\(generator)")
                #expect(abs(beside.east - offset.east) * ReducedCell.size < 5, "\(generator)")
            }
        }
    }

    @Test func `the offset is uniform on each axis and independent between them`() throws {
        var generator = SeededGenerator(sample: 2)
        var counts = [[Int]](repeating: [Int](repeating: 0, count: 10), count: 2)
        var product = 0.0
        let draws = scaled(100_000)
        for _ in 0..<draws {
            let device = try Device(using: &generator)
            let offset = device.field.offset(at: try Coordinate.random(using: &generator))
            for (axis, value) in [offset.north, offset.east].enumerated() {
                try #require((-0.5...0.5).contains(value))
                counts[axis][min(9, Int((value + 0.5) * 10))] += 1
            }
            product += offset.north * offset.east
        }
        let wanted = Double(draws) / 10
        for axis in counts {
            let chiSquare = axis.reduce(0) { $0 + (Double($1) - wanted) * (Double($1) - wanted) / wanted }
            // 9 degrees of freedom: above 40 once in 100,000.
            #expect(chiSquare < 40, "\(axis), \(generator)")
        }
        // The correlation of independent ones has a standard deviation of 1 in the root of their number.
        #expect(abs(product / Double(draws) * 12) < 5 / Double(draws).squareRoot(), "\(generator)")
    }
}
