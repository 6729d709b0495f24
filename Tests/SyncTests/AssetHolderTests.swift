import Records
import Storage
import Testing

@testable import Sync

/// Which records and changes have an asset, and how long its bytes stay in the copy because of that.
@Suite struct AssetHolderTests {
    private let copy: AssetTables

    init() throws { copy = try AssetTables() }

    @Test func `a record has only assets whose bytes are there, or that the zone has`() throws {
        let (file, other) = (TestFile(count: 100), TestFile(count: 200))
        #expect(try copy.edit("n1", file) == .assetNotFound(named("n1"), file.asset.digest))
        _ = try copy.add(file, from: 0, Array(file.bytes[..<50]))
        #expect(try copy.edit("n1", file) == .assetNotFound(named("n1"), file.asset.digest), "it is not complete")
        _ = try copy.add(file, from: 50, Array(file.bytes[50...]))
        #expect(try copy.edit("n1", file) == nil)
        #expect(try copy.edit("n2", TestFile(file.bytes, size: 99)) == .assetNotFound(named("n2"), file.asset.digest))
        #expect(try copy.edit("n2", file, other) == .assetNotFound(named("n2"), other.asset.digest))
        // A record of the hub has it, so that the hub has its bytes.
        try copy.fetch("n3", other)
        #expect(try copy.edit("n2", file, other) == nil)
    }

    @Test func `a digest opens nothing without the record that has it`() throws {
        let file = TestFile(count: 100)
        _ = try copy.add(file)
        func found(_ name: String) throws -> Asset? {
            try copy.cache.read { (tables) throws(StorageError) in
                try tables.asset(file.asset.digest, of: named(name), in: copy.zone)
            }
        }
        #expect(try found("n1") == nil)
        #expect(try copy.edit("n1", file) == nil)
        #expect(try found("n1") == file.asset && found("n2") == nil)
        #expect(try copy.edit("n1") == nil)
        #expect(try found("n1") == nil)
    }

    /// Who has an asset after each step, and whether its bytes are there after those that nobody needs were removed.
    @Test func `an asset stays as long as a record or a change has it`() throws {
        let file = TestFile(count: 100)
        func expect(_ holders: AssetTables.AssetRow.Holders?, _ step: String) throws {
            try copy.clean(at: AssetTables.now + AssetLimits.patience + 1)
            #expect(try copy.row(file)?.holders == holders, "\(step)")
        }
        _ = try copy.add(file)
        try copy.clean(at: AssetTables.now + AssetLimits.patience)
        #expect(try copy.row(file)?.holders == [], "a program has a day to save a record")
        #expect(try copy.edit("n1", file) == nil)
        try expect(.change, "saved")
        #expect(try copy.edit("n2", file) == nil)
        try copy.markUploaded(file)
        #expect(try copy.prepareRequest() != nil)
        try expect(.change, "sent")
        try copy.apply([try copy.saved(1), try copy.saved(2)])
        try expect(.record, "acknowledged")
        #expect(try copy.edit("n1", nil as [TestFile]?) == nil)
        try expect(.record, "a deletion waits")
        _ = try copy.prepareRequest()
        try copy.apply([.deleted])
        try expect(.record, "the other record has it")
        #expect(try copy.edit("n2") == nil)
        _ = try copy.prepareRequest()
        try copy.apply([try copy.saved(3)])
        try expect(nil, "replaced")
    }

    @Test func `the assets of a change that the hub has refused stay until it is discarded`() throws {
        let file = TestFile(count: 100)
        _ = try copy.add(file)
        #expect(try copy.edit("n1", file) == nil)
        try copy.markUploaded(file)
        _ = try copy.prepareRequest()
        try copy.apply([.notPermitted])
        try copy.clean(at: .max / 2)
        #expect(try copy.row(file)?.holders == .refusedChange && copy.read(file) == file.bytes)
        #expect(try copy.nextUpload() == nil)
        try copy.write { (tables) throws(StorageError) in
            try tables.discard([named("n1")], in: copy.zone, onlyRefused: true)
        }
        try copy.clean(at: .max / 2)
        #expect(try copy.row(file) == nil)
    }

    @Test func `a deleted zone keeps what was not sent, and a purged one nothing`() throws {
        let (unsent, stored) = (TestFile(count: 100), TestFile(count: 200))
        _ = try copy.add(unsent)
        #expect(try copy.edit("n1", unsent) == nil)
        try copy.fetch("n2", stored)
        _ = try copy.add(stored)
        try copy.write { (tables) throws(StorageError) in
            var lost = copy.zone
            try tables.lose(&lost, because: .deleted)
        }
        try copy.clean(at: .max / 2)
        #expect(try copy.row(unsent)?.holders == .refusedChange && copy.row(stored) == nil)
        try copy.write { (tables) throws(StorageError) in try tables.empty(copy.zone) }
        try copy.clean(at: .max / 2)
        #expect(try copy.row(unsent) == nil)
    }
}
