import Records
import Testing

@testable import Sync

/// When assets are uploaded, and when the records are sent that have them.
@Suite struct AssetSendingTests {
    private let copy: AssetTables

    init() throws { copy = try AssetTables() }

    @Test func `a record is sent after its assets, and others before them`() throws {
        let (first, second) = (TestFile(count: 100, seed: 1), TestFile(count: 100, seed: 2))
        for file in [first, second] { _ = try copy.add(file) }
        #expect(try copy.edit("n1", first, second) == nil && copy.edit("n2") == nil)
        let request = try #require(try copy.prepareRequest())
        #expect(try ModifyRecords(AssetTables.zoneID, json: request.body).names == [named("n2")])
        try copy.apply([try copy.saved(1)])
        #expect(try copy.prepareRequest() == nil)
        #expect(try copy.nextUpload()?.asset == first.asset)
        try copy.markUploaded(first)
        #expect(try copy.prepareRequest() == nil)
        #expect(try copy.nextUpload()?.asset == second.asset)
        try copy.markUploaded(second)
        #expect(try copy.nextUpload() == nil)
        let last = try #require(try copy.prepareRequest())
        #expect(try ModifyRecords(AssetTables.zoneID, json: last.body).names == [named("n1")])
    }

    @Test func `an asset that the hub has lost is uploaded again, a few times, and then the change is set aside`()
        throws
    {
        let file = TestFile(count: 100)
        _ = try copy.add(file)
        #expect(try copy.edit("n1", file) == nil)
        for attempt in 1...3 {
            try copy.markUploaded(file)
            #expect(try copy.prepareRequest() != nil, "\(attempt)")
            try copy.apply([.assetNotFound(file.asset.digest)])
            #expect(try copy.prepareRequest() == nil)
            let upload = try #require(try copy.nextUpload(), "\(attempt)")
            #expect(upload.sent == nil, "it begins anew, whatever the hub has")
        }
        try copy.markUploaded(file)
        _ = try copy.prepareRequest()
        try copy.apply([.assetNotFound(file.asset.digest)])
        #expect(try copy.nextUpload() == nil && copy.prepareRequest() == nil)
        #expect(try copy.row(file)?.holders == .refusedChange)
        // The program saves it again.
        #expect(try copy.edit("n1", file) == nil)
        #expect(try copy.nextUpload()?.asset == file.asset)
    }

    @Test func `a hub that has lost an asset which another record has gets it again`() throws {
        let file = TestFile(count: 100)
        try copy.fetch("n2", file)
        _ = try copy.add(file)
        #expect(try copy.edit("n1", file) == nil)
        #expect(try copy.nextUpload() == nil, "a record of the zone has it")
        _ = try copy.prepareRequest()
        try copy.apply([.assetNotFound(file.asset.digest)])
        #expect(try copy.nextUpload()?.asset == file.asset)
    }
}
