import TestSupport
import Testing

@testable import Sync

@Suite struct SyncStatementTests {
    @Test func `every statement finds its rows by a key or an index`() throws {
        let folder = try TemporaryDirectory()
        let cache = try SyncCache(folder: folder.path)
        for statement in SyncStatement.allCases {
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
}
