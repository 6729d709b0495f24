import Glibc
import Location
import RecordScript
import TestSupport
import TestTraits
import Testing

@testable import Records

/// The order by distance, which reads circles around a place: what is at the border of a circle, and what follows a circle without
/// anything.
@Suite(.computes, .timeLimit(.minutes(15))) struct NearestTests {
    private static let place: FieldName = name("place")
    /// Some radii of the circles, in metres.
    private static let radii: [Double] = [100, 10_000, 1_000_000]
    private static let metresOfDegree = Coordinate.meanEarthRadius * .pi / 180

    private static func draft(_ record: String, _ coordinate: Coordinate, count: Int64 = 0) -> ModifyRecords.Save {
        let fields: [FieldName: FieldValue] = [
            place: .location(StoredPlace(coordinate)), name("count"): .integer(count),
        ]
        return .init(RecordDraft(name(record), IndexedThings.type, fields), .allKeys)
    }

    /// The query for the nearest records, with a condition.
    private static func query(_ from: Coordinate, _ filter: Query.Filter? = nil) throws -> Query {
        try #require(Query(IndexedThings.type, filter, order: [Query.Order(place, from: StoredPlace(from))]))
    }

    /// What a page of each size begins with, and all pages together, have the order of the distances.
    private static func expectOrder(_ from: Coordinate, _ records: [String: Coordinate], _ world: World) throws {
        let expected = records.sorted { $0.value.distance(to: from) < $1.value.distance(to: from) }.map(\.key)
        for limit in 1...records.count {
            let page = try world.store.find(query(from), in: World.notes, limit: limit, by: World.phone).get()
            #expect(
                page.records.map(\.name.text) == Array(expected.prefix(limit)),
                "\(limit) from \(from.latitude) \(from.longitude)")
            #expect(
                try IndexedThings.pages(query(from), world, limit: limit).map(\.name.text) == expected,
                "pages of \(limit) from \(from.latitude) \(from.longitude)")
        }
    }

    /// A point so many metres to the north and east of another one.
    private static func point(_ from: Coordinate, north: Double, east: Double) -> Coordinate {
        let latitude = from.latitude + north / metresOfDegree
        let width = metresOfDegree * max(0.000_1, cos(latitude * .pi / 180))
        return Coordinate(clampedLatitude: latitude, clampedLongitude: wrapped(from.longitude + east / width))
    }

    private static func wrapped(_ longitude: Double) -> Double {
        longitude.remainder(dividingBy: 360)
    }

    /// The equator and the meridian of Greenwich are borders of the largest cells: the circle just reaches beyond them.
    @Test(arguments: EngineKind.allCases, radii)
    func `a record that is just within a circle, beyond the border of a cell, is nearer than those behind it`(
        engine: EngineKind, radius: Double
    ) throws {
        for (north, east) in [(1, 0), (-1, 0), (0, 1), (0, -1)] as [(Double, Double)] {
            var world = try IndexedThings.world(on: engine)
            let origin = Coordinate(clampedLatitude: 0, clampedLongitude: 0)
            // The border is at 99.5 percent of the radius.
            let from = Self.point(origin, north: -0.995 * radius * north, east: -0.995 * radius * east)
            func at(_ factor: Double) -> Coordinate {
                Self.point(from, north: factor * radius * north, east: factor * radius * east)
            }
            let records = ["beyond": at(0.996), "back": at(-0.997), "far": at(-0.998), "outside": at(1.002)]
            try world.modify(records.sorted { $0.key < $1.key }.map { Self.draft($0.key, $0.value) })
            try Self.expectOrder(from, records, world)
        }
    }

    /// Cells cover a square around the circle: a record in its corner is farther away than one beyond the middle of a side.
    @Test(arguments: EngineKind.allCases, radii)
    func `a record outside of a circle, in a cell of it, comes after those that are nearer and in no cell`(
        engine: EngineKind, radius: Double
    ) throws {
        for north in [1, -1] as [Double] {
            var world = try IndexedThings.world(on: engine)
            let origin = Coordinate(clampedLatitude: 0, clampedLongitude: 0)
            let from = Self.point(origin, north: -1.02 * radius * north, east: 0.3 * radius)
            let corner = -0.95 * radius
            let records = [
                "corner": Self.point(from, north: corner * north, east: corner),
                "other": Self.point(from, north: corner * north, east: -1.01 * corner),
                "beyond": Self.point(from, north: 1.05 * radius * north, east: 0),
            ]
            try world.modify(records.sorted { $0.key < $1.key }.map { Self.draft($0.key, $0.value) })
            try Self.expectOrder(from, records, world)
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `records around any place have the order of their distances`(engine: EngineKind) throws {
        var random = SeededGenerator()
        for _ in 0..<6 {
            var world = try IndexedThings.world(on: engine)
            let latitudes: [Double] = [.random(in: -89...89, using: &random), 89.999, -89.999, 0]
            let longitudes: [Double] = [.random(in: -180...180, using: &random), 180, -180]
            let from = Coordinate(
                clampedLatitude: latitudes.randomElement(using: &random) ?? 0,
                clampedLongitude: longitudes.randomElement(using: &random) ?? 0)
            var records: [String: Coordinate] = [:]
            for number in 0..<24 {
                let radius = (Self.radii.randomElement(using: &random) ?? 0) * .random(in: 0.9...1.5, using: &random)
                records["n\(number)"] = Self.point(
                    from, north: .random(in: -radius...radius, using: &random),
                    east: .random(in: -radius...radius, using: &random))
            }
            try world.modify(records.sorted { $0.key < $1.key }.map { Self.draft($0.key, $0.value) })
            try Self.expectOrder(from, records, world)
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `circles without a further record, and without one that fulfils the condition, do not end the search`(
        engine: EngineKind
    ) throws {
        var world = try IndexedThings.world(on: engine)
        let from = Coordinate(clampedLatitude: 52.5, clampedLongitude: 13.4)
        // One in the first circle, and then none in the next four.
        let distances: [(String, Double)] = [
            ("near", 50), ("far", 2_000_000), ("farther", 9_000_000), ("farthest", 19_000_000),
        ]
        try world.modify(distances.map { Self.draft($0.0, Self.southern(from, $0.1), count: $0.1 > 1e7 ? 1 : 0) })
        let names = distances.map(\.0)
        for limit in 1...5 {
            #expect(
                try IndexedThings.pages(Self.query(from), world, limit: limit).map(\.name.text) == names, "\(limit)")
        }
        let last = try Self.query(from, .compare(name("count"), .equal, .integer(1)))
        #expect(try IndexedThings.pages(last, world, limit: 1).map(\.name.text) == ["farthest"])
        let plain = try Self.query(from, .not(.compare(name("count"), .equal, .integer(0))))
        #expect(try IndexedThings.pages(plain, world, limit: 1).map(\.name.text) == ["farthest"])
    }

    /// A point so many metres away on the meridian to the south, and beyond the pole on the opposite one.
    private static func southern(_ from: Coordinate, _ distance: Double) -> Coordinate {
        let latitude = from.latitude - distance / metresOfDegree
        guard latitude < -90 else {
            return Coordinate(clampedLatitude: latitude, clampedLongitude: from.longitude)
        }
        return Coordinate(clampedLatitude: -180 - latitude, clampedLongitude: wrapped(from.longitude + 180))
    }

    /// A page evaluates a limited number of records.
    @Test(
        arguments: EngineKind.allCases,
        [
            #""sort":[{"field":"count"}]"#, #""sort":[{"field":"count","descending":true}]"#,
            #""filter":{"field":"count","greater":{"integer":-1}}"#, "",
        ])
    func `a page in which nothing matches is empty and is continued, until the one record is found`(
        engine: EngineKind, query: String
    ) throws {
        var rules = SyncRules()
        rules.evaluatedRecords = 5
        var world = try IndexedThings.world(on: engine, rules: rules)
        let from = Coordinate(clampedLatitude: 10, clampedLongitude: 10)
        for number in 0..<30 {
            // The one that matches is in the middle of every order.
            let degrees = number == 15 ? 0.0 : 1.0
            let place = Coordinate(clampedLatitude: 10 + degrees, clampedLongitude: 10)
            try world.modify([Self.draft("n\(number)", place, count: Int64(number))])
        }
        // A condition that no index narrows.
        let metres = try #require(FiniteDouble(500))
        let near = Query.Filter.not(.not(.within(Self.place, metres, of: StoredPlace(from))))
        let text = #"{"type":"Thing"\#(query.isEmpty ? "" : ",")\#(query)}"#
        let base = try Query(json: Array(text.utf8))
        let whole = try #require(
            Query(IndexedThings.type, base.filter.map { .all([$0, near]) } ?? near, order: base.order))
        var pages: [Int] = []
        var page = QueryPage()
        repeat {
            page = try world.store.find(whole, in: World.notes, after: page.cursor, by: World.phone).get()
            pages.append(page.records.count)
        } while page.cursor != nil && pages.count < 20
        #expect(pages.reduce(0, +) == 1 && pages.first == 0 && pages.last == 0 && pages.count > 4, "\(pages)")
    }
}
