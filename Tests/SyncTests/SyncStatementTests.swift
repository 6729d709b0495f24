import Storage
import TestSupport
import Testing

@testable import Sync

@Suite struct SyncStatementTests {
    private static var all: [any NamedStatement] {
        SyncStatement.allCases as [any NamedStatement] + AlertStatement.allCases + AssetStatement.allCases
    }

    @Test func `every statement finds its rows by a key or an index`() throws {
        let folder = try TemporaryDirectory()
        let cache = try SyncCache(folder: folder.path)
        for statement in Self.all {
            for step in try cache.plan(of: statement) where step.hasPrefix("SCAN") {
                // These read or change all rows of a table that has a row for each container, generation of a key, app or pending alert
                // at most.
                let isSmall = [
                    "SCAN containers", "SCAN account", "SCAN request", "SCAN databases",
                    "SCAN identifierReaders", "SCAN keyGenerations", "SCAN alerts", "SCAN mutedApps",
                ].contains { step.hasPrefix($0) }
                #expect(isSmall, "\(statement.rawValue): \(step)")
            }
        }
    }

    /// The statements of the three enums are compiled for one connection, by their names.
    @Test func `no two statements have the same name`() {
        var names: Set<String> = []
        for statement in Self.all {
            #expect(names.insert(statement.rawValue).inserted, "\(statement.rawValue)")
        }
    }
}
