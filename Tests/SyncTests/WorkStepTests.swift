import Records
import Storage
import Testing

@testable import Sync

/// What the copy makes of a hub's answers.
@Suite struct WorkStepTests {
    private let copy: AssetTables

    init() throws { copy = try AssetTables() }

    private func request() throws -> RequestRow? {
        try copy.cache.read { (tables) throws(StorageError) in try tables.request() }
    }

    @Test func `an answer without an outcome for each record is not understood, and the request stays`() throws {
        #expect(try copy.edit("n1") == nil && copy.edit("n2") == nil)
        let request = try #require(try copy.prepareRequest())
        #expect(try ModifyRecords(AssetTables.zoneID, json: request.body).saves.count == 2)
        let work = try copy.cache.read { (tables) throws(StorageError) in try tables.nextWork() }
        let step = WorkStep(work: try #require(work))
        #expect(step.sends)
        let (first, second) = (try copy.saved(1), try copy.saved(2))
        for outcomes in [[], [first], [first, second, first]] {
            let body = ModifyRecordsAnswer.outcomes(outcomes).json
            #expect(try step.apply(.done(body), to: copy.cache) == .pause(.strange(status: 200)))
            #expect(try self.request() == request)
        }
        let body = ModifyRecordsAnswer.outcomes([first, second]).json
        #expect(try step.apply(.done(body), to: copy.cache) == .next)
        #expect(try self.request() == nil)
        #expect(try copy.prepareRequest() == nil, "no change waits any more")
    }
}
