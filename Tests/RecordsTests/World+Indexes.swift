import Location
import RecordScript
import TestSupport
import Testing

@testable import Records

extension World {
    /// Deploys types as they are.
    func deploy(_ types: [TypeDefinition]) throws {
        _ = try store.replaceSchema(of: Self.container.name, by: Schema(types)).get()
        _ = try store.deploySchema(of: Self.container.name).get()
    }

    /// Fills all indexes.
    func fillIndexes() throws {
        var filling = try store.fillIndexes(nil)
        while let state = filling { filling = try store.fillIndexes(state) }
    }

    /// All records of a zone.
    func everything(in zone: ZoneID = notes) throws -> [Record] {
        var found: [Record] = []
        var page = ZoneChanges()
        var token: [UInt8]?
        repeat {
            page = try changes(since: token, in: zone)
            found += page.changed
            token = page.token
        } while page.moreComing
        return found
    }

    /// Compares what indexes have with what the records are.
    func expectExactEntries(_ types: [TypeDefinition], in only: ZoneID? = nil) throws {
        let tables = try engine.tables()
        let zones = only.map { [$0] } ?? tables.zones.keys.filter { $0.container == Self.container }
        for zone in zones {
            var expected: Set<IndexEntry> = []
            for record in (tables.records[zone] ?? [:]).values.compactMap(\.record) {
                for type in types where type.name == record.type { expected.formUnion(type.entries(of: record)) }
            }
            #expect(tables.entries[zone] ?? [] == expected, "\(zone.name)")
        }
    }
}
