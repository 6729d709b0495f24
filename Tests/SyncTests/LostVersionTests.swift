import JSONText
import Records
import Storage
import Testing

@testable import Sync

/// A refused change of a record whose zone the hub has lost, so that the version of the hub is saved again beside it.
@Suite struct LostVersionTests {
    private let copy: AssetTables
    private let old = TestFile(count: 1_000, seed: 1)
    private let new = TestFile(count: 1_000, seed: 2)
    private static let refusal = RecordOutcome.notPermitted
    private static let other = RecordOutcome.limitExceeded(.recordBytes, most: 1)

    /// The hub has the record with the old file, and has refused a change to the new one, or the deletion.
    private init(deleting: Bool) throws {
        copy = try AssetTables()
        for file in [old, new] {
            _ = try copy.add(file).get()
            try copy.markUploaded(file)
        }
        try copy.fetch("r", old)
        #expect(try copy.edit("r", deleting ? nil : [new], .ifServerRecordUnchanged) == nil)
        #expect(try copy.prepareRequest() != nil)
        try copy.apply([Self.refusal])
        #expect(try change().error == Self.refusal.json)
        try lose(because: .encryptedDataReset)
    }

    init() throws { try self.init(deleting: false) }

    private func lose(because reason: ZoneDeletionReason) throws {
        try copy.write { (tables) throws(StorageError) in
            var page = DatabaseChanges()
            page.deleted = [.init(AssetTables.zoneID, reason)]
            let container = try tables.open(SimulatedMachine.container)
            try tables.apply(page, of: .private, marks: 0, to: container)
        }
    }

    private func change() throws -> ChangeRow {
        try copy.cache.read { (tables) throws(StorageError) in
            try tables.change(named("r"), in: copy.zone) ?? ChangeRow()
        }
    }

    private func record() throws -> Sync.RecordRow? {
        try copy.cache.read { (tables) throws(StorageError) in try tables.record(named("r"), in: copy.zone) }
    }

    private func files(_ change: LocalChange?) -> Set<Asset>? {
        guard case .save(let save)? = change else { return nil }
        return save.draft.assets
    }

    /// The files that something has, with the numbers of `AssetRow.Holders`.
    private func holders() throws -> Set<String> {
        try copy.cache.read { (tables) throws(StorageError) in
            var found: Set<String> = []
            let statement = try Statement(
                tables.statements.database, "SELECT digest, holder FROM assetHolders", as: "compare")
            try statement.run { row in
                found.insert("\(row.text(0) == HexText.text(old.asset.digest) ? "old" : "new") \(row.integer(1))")
                return true
            }
            return found
        }
    }

    /// Lets the files be there again, and prepares a request.
    private func send() throws -> RequestRow? {
        for file in [old, new] { try copy.markUploaded(file) }
        return try copy.prepareRequest()
    }

    /// What is refused stays so, and the version of the hub is to be sent.
    private func expectPending() throws {
        let change = try change()
        #expect(change.error == Self.refusal.json && files(change.pending) == [new.asset])
        #expect(files(change.restoration) == [old.asset] && change.sent == nil)
        #expect(try holders() == ["old 2", "new 4"])
        #expect(LocalRecord.after(change.seen, of: try record()?.base)?.fields.values.first?.assets == [old.asset])
    }

    @Test func `the version is sent, and the refused change is not`() throws {
        try expectPending()
        #expect(try send() != nil)
        let sent = try change()
        #expect(files(sent.sent) == [old.asset] && sent.restoration == nil)
        #expect(sent.error == Self.refusal.json && files(sent.pending) == [new.asset])
        try copy.apply([copy.saved(7)])
        let change = try change()
        #expect(change.sent == nil && change.error == Self.refusal.json && files(change.pending) == [new.asset])
        #expect(try record()?.base?.assets == [old.asset])
        // An engine would take a change of this machine for the refused one.
        #expect(try record()?.isLocal == false)
        #expect(try holders() == ["old 1", "new 4"])
        #expect(try send() == nil)
    }

    @Test(arguments: [true, false]) func `the version is sent with another request if the first one had no effect`(
        isAnswered: Bool
    ) throws {
        let request = try #require(try send())
        if isAnswered {
            try copy.apply([.batchRequestFailed(culprit: named("other"))])
        } else {
            try copy.write { (tables) throws(StorageError) in try tables.putBack(request, in: copy.zone) }
        }
        try expectPending()
    }

    @Test func `a version that the hub refuses as well is set aside with the change, for the first reason`() throws {
        #expect(try send() != nil)
        try copy.apply([Self.other])
        let change = try change()
        #expect(change.error == Self.refusal.json && change.sent == nil && change.restoration == nil)
        #expect(files(change.pending) == [new.asset] && change.pending?.changeTag == nil)
        #expect(try holders() == ["new 4"])
    }

    @Test func `a version that the hub refuses as well replaces a refused deletion`() throws {
        let tests = try Self(deleting: true)
        #expect(try tests.send() != nil)
        try tests.copy.apply([Self.other])
        let change = try tests.change()
        #expect(change.error == Self.other.json && tests.files(change.pending) == [tests.old.asset])
    }

    @Test func `a change that is permitted again is made to the version that is sent with it`() throws {
        try copy.write { (tables) throws(StorageError) in
            var change = try tables.change(named("r"), in: copy.zone) ?? ChangeRow()
            change.permit(base: nil)
            try tables.store(change, named("r"), in: copy.zone)
        }
        let change = try change()
        #expect(change.error == nil && change.restoration == nil && change.pending?.changeTag == nil)
        #expect(LocalRecord.after(change.seen, of: nil)?.fields.values.first?.assets == [new.asset])
        #expect(try holders() == ["new 2"])
    }

    @Test func `a program that discards the refused change leaves the version`() throws {
        try copy.write { (tables) throws(StorageError) in
            try tables.discard([named("r")], in: copy.zone, onlyRefused: true)
        }
        let change = try change()
        #expect(change.error == nil && change.restoration == nil && files(change.pending) == [old.asset])
        #expect(try holders() == ["old 2"])
    }

    @Test func `a program that saves the record again changes the version`() throws {
        #expect(try copy.edit("r", [new], .ifServerRecordUnchanged) == nil)
        let change = try change()
        #expect(change.error == nil && change.restoration == nil && files(change.pending) == [new.asset])
        #expect(change.pending?.changeTag == nil)
    }

    @Test func `a second loss does not replace what was to be saved again`() throws {
        try copy.fetch("r", new, tag: 9)
        try lose(because: .encryptedDataReset)
        try expectPending()
    }

    @Test func `in a zone that is deleted everything is set aside`() throws {
        try lose(because: .deleted)
        let change = try change()
        #expect(change.error == Self.refusal.json && change.restoration == nil && change.sent == nil)
        #expect(files(change.pending) == [new.asset])
        #expect(try holders() == ["new 4"])
    }
}
