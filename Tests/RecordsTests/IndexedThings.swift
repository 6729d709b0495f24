import Location
import RecordScript
import TestSupport
import Testing

@testable import Records

/// A type with every index that a field can have, records of it, and queries, all at random.
enum IndexedThings {
    static let type: RecordType = name("Thing")

    /// A type with every index that a field can have.
    static let thing: TypeDefinition = {
        let every: Set<FieldIndex> = [.queryable, .sortable, .searchable]
        return TypeDefinition(
            type,
            [
                name("text"): FieldDefinition(.init(.string), indexes: every),
                name("note"): FieldDefinition(.init(.string), indexes: [.searchable]),
                name("count"): FieldDefinition(.init(.integer), indexes: [.queryable, .sortable]),
                name("price"): FieldDefinition(.init(.double), indexes: [.queryable, .sortable]),
                name("day"): FieldDefinition(.init(.date), indexes: [.sortable]),
                name("code"): FieldDefinition(.init(.bytes), indexes: [.sortable, .queryable]),
                name("place"): FieldDefinition(.init(.location), indexes: [.queryable]),
                name("tags"): FieldDefinition(.init(.string, isList: true), indexes: [.queryable, .searchable]),
                name("list"): FieldDefinition(.init(.reference), indexes: [.queryable]),
                name("plain"): FieldDefinition(.init(.integer)),
                SystemField.created.field: FieldDefinition(.init(.date), indexes: [.sortable]),
                SystemField.modified.field: FieldDefinition(.init(.date), indexes: [.sortable]),
                SystemField.name.field: FieldDefinition(.init(.string), indexes: [.sortable]),
            ])
    }()

    static func world(
        on engine: EngineKind, _ types: [TypeDefinition] = [thing], rules: SyncRules = SyncRules()
    ) throws -> World {
        let world = try World.withNotes(on: engine, rules: rules)
        try world.deploy(types)
        try world.fillIndexes()
        return world
    }

    private static let words = ["milk", "Bread", "straße", "honey", "no1", "äpfel"]

    private static func text(_ random: inout SeededGenerator) -> String {
        let some = (0..<Int.random(in: 0...3, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
        // Some differ only beyond what a key has of them.
        let long = String(repeating: "x", count: Int.random(in: 0...9, using: &random) == 0 ? 130 : 0)
        return long + some.joined(separator: [" ", "-", ", "].randomElement(using: &random) ?? " ")
    }

    private static func coordinate(_ random: inout SeededGenerator) -> Coordinate {
        // Half of them near a few places, the poles and the antimeridian among them.
        let (latitude, longitude) =
            [(52.5, 13.4), (89.9, 10), (-89.95, -100), (0.1, 179.95), (0, -179.97)].randomElement(using: &random)
            ?? (0, 0)
        guard Bool.random(using: &random) else {
            return Coordinate(
                clampedLatitude: .random(in: -90...90, using: &random),
                clampedLongitude: .random(in: -180...180, using: &random))
        }
        return Coordinate(
            clampedLatitude: latitude + .random(in: -0.3...0.3, using: &random),
            clampedLongitude: longitude + .random(in: -0.3...0.3, using: &random))
    }

    static func value(_ field: String, _ random: inout SeededGenerator) -> FieldValue? {
        switch field {
        case "text", "note": return .string(text(&random))
        case "count", "plain":
            return .integer([-1, 0, 1, 2, 3, .min, .max].randomElement(using: &random) ?? 0)
        case "price":
            return FiniteDouble([-1.5, -0.0, 0, 0.25, 1e300, -1e-300].randomElement(using: &random) ?? 0).map {
                .double($0)
            }
        case "day": return .date(UTCTime(microseconds: .random(in: -3...3, using: &random)))
        case "code":
            return .bytes(
                Array(repeating: .random(in: 254...255, using: &random), count: .random(in: 0...2, using: &random)))
        case "place": return .location(StoredPlace(coordinate(&random)))
        case "tags":
            let tags = (0..<Int.random(in: 0...3, using: &random)).map { _ in FieldValue.string(text(&random)) }
            return FieldList(.string, tags).map { .list($0) }
        default: return .reference(name("r\(Int.random(in: 0...2, using: &random))"))
        }
    }

    static let fields = ["text", "note", "count", "price", "day", "code", "place", "tags", "list", "plain"]

    static func draft(_ record: String, _ random: inout SeededGenerator) -> RecordDraft {
        var values: [FieldName: FieldValue] = [:]
        for field in fields where Int.random(in: 0...3, using: &random) > 0 {
            values[name(field)] = value(field, &random)
        }
        return RecordDraft(name(record), type, values)
    }

    /// A condition that may be about anything.
    static func filter(_ depth: Int, _ random: inout SeededGenerator) -> Query.Filter {
        func list(_ random: inout SeededGenerator) -> [Query.Filter] {
            (0..<Int.random(in: 1...3, using: &random)).map { _ in filter(depth - 1, &random) }
        }
        switch depth > 0 ? Int.random(in: 0...9, using: &random) : 9 {
        case 0...2: return .all(list(&random))
        case 3, 4: return .any(list(&random))
        case 5: return .not(filter(depth - 1, &random))
        case 6: return .words(words.randomElement(using: &random) ?? "")
        case 7:
            let radius = FiniteDouble([0, 500, 20_000, 3_000_000, 30_000_000].randomElement(using: &random) ?? 0)
            guard let radius else { return .all([]) }
            return .within(name("place"), radius, of: StoredPlace(coordinate(&random)))
        default: return comparison(&random)
        }
    }

    private static func comparison(_ random: inout SeededGenerator) -> Query.Filter {
        let orders: [Query.Comparison] = [.equal, .less, .lessOrEqual, .greater, .greaterOrEqual]
        switch Int.random(in: 0...9, using: &random) {
        case 0:
            let field: FieldName = name(["text", "note", "tags"].randomElement(using: &random) ?? "text")
            let some = words.shuffled(using: &random).prefix(.random(in: 1...2, using: &random)).joined(separator: " ")
            return .compare(field, .containsWords, .string(some.lowercased()))
        case 1:
            return .compare(
                name("text"), .beginsWith, .string(["", "m", "milk", "x"].randomElement(using: &random) ?? ""))
        case 2: return .compare(name("tags"), .contains, .string(text(&random)))
        case 3:
            let values = (0..<3).compactMap { _ in value("count", &random) }
            return FieldList(.integer, values).map { .compare(name("count"), .isIn, .list($0)) } ?? .all([])
        case 4: return value("list", &random).map { .compare(name("list"), .equal, $0) } ?? .all([])
        case 5: return value("day", &random).map { .compare(name("day"), .less, $0) } ?? .all([])
        default:
            let field = ["text", "count", "price", "code"].randomElement(using: &random) ?? "count"
            guard let value = value(field, &random), let order = orders.randomElement(using: &random) else {
                return .all([])
            }
            return .compare(name(field), order, value)
        }
    }

    static func order(_ random: inout SeededGenerator) -> [Query.Order] {
        let some = ["text", "count", "price", "day", "code", "place", "_created", "_modified", "_name"]
        return some.shuffled(using: &random).prefix([0, 0, 1, 1, 2, 3].randomElement(using: &random) ?? 0).compactMap {
            let place = $0 == "place" ? StoredPlace(coordinate(&random)) : nil
            return FieldName(ofAnyField: $0).map { Query.Order($0, from: place, descending: .random(using: &random)) }
        }
    }

    /// Reads all pages of a query.
    static func pages(
        _ query: Query, _ world: World, limit: Int = .max, in zone: ZoneID = World.notes
    ) throws -> [Record] {
        var found: [Record] = []
        var page = QueryPage()
        repeat {
            page = try world.store.find(query, in: zone, after: page.cursor, limit: limit, by: World.phone).get()
            found += page.records
        } while page.cursor != nil
        return found
    }

    /// What a query finds, by comparing all records.
    static func evaluate(_ query: Query, _ world: World) throws -> [Record] {
        let fields = [name("note"), name("tags"), name("text")] as [FieldName]
        let found = try world.everything().filter { record in
            record.type == query.type && query.filter?.searching(fields).matches(record.fields) ?? true
        }
        guard !query.order.isEmpty else { return found.sorted { $0.name < $1.name } }
        let places = found.compactMap { record in query.order.keys(of: record.value).map { (keys: $0, record: record) }
        }
        return places.sorted { left, right in
            query.order.isOrdered((left.keys, left.record.name), before: (right.keys, right.record.name))
        }.map(\.record)
    }

    /// Saves records with numbers from 0 on.
    static func many(_ world: inout World, _ count: Int) throws {
        for start in stride(from: 0, to: count, by: 100) {
            try world.modify(
                (start..<min(start + 100, count)).map { number in
                    let fields: [FieldName: FieldValue] = [
                        name("count"): .integer(Int64(number)), name("text"): .string("word\(number) all"),
                        name("day"): .date(UTCTime(microseconds: Int64(-number))),
                        name("place"): .location(
                            StoredPlace(Coordinate(clampedLatitude: Double(number) / 100, clampedLongitude: 13))),
                    ]
                    return .init(RecordDraft(name("n\(number)"), type, fields))
                })
        }
    }
}
