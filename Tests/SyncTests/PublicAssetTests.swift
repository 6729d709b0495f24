import Cryptography
import JSONText
import Platform
import Records
import SyncInterface
import TestHubs
import TestSupport
import TestTraits
import Testing
import Varlink
import Waymark

/// Assets of the public database, with a real hub and machines of two accounts.
@Suite(.waits, .timeLimit(.minutes(15))) struct PublicAssetTests {
    private static let id = Waymark.Record.ID(recordName: "r1")
    private let scene: SyncMachines

    /// Alice's machine, and Bob's.
    init() throws {
        var scene = try SyncMachines("laptop")
        try scene.add("desktop", of: "bob")
        self.scene = scene
    }

    private var alice: Database { scene.container(0).publicDatabase }
    private var bob: Database { scene.container(1).publicDatabase }

    private static func report(_ asset: Waymark.Record.Asset, _ id: Waymark.Record.ID = id) -> Waymark.Record {
        var report = Waymark.Record(recordType: "Report", recordID: id)
        report["photo"] = asset
        return report
    }

    private func code(_ body: () async throws -> Void) async -> RecordError.Code? {
        do { try await body() } catch let error as RecordError { return error.code } catch { Issue.record(error) }
        return nil
    }

    private func photo(_ database: Database, of id: Waymark.Record.ID = id) async throws -> [UInt8] {
        let record = try await database.record(for: id)
        return try await database.bytes(
            of: try #require(record["photo", as: Waymark.Record.Asset.self]), in: id)
    }

    @Test func `a file of a public record is read by another account, and a digest alone opens nothing`() async throws {
        let file = TestFile(count: 700_000)
        let asset = try Waymark.Record.Asset(bytes: file.bytes)
        let saved = try await alice.save(Self.report(asset))
        #expect(try await photo(bob) == file.bytes)
        #expect(try await photo(alice) == file.bytes)
        let folder = try TemporaryDirectory()
        try await bob.write(asset, in: Self.id, to: folder.file("photo"))
        #expect(try BoundedFile.bytes(of: folder.file("photo"), limit: 1 << 20) == file.bytes)
        // Neither by another record, nor by a record of one's own, nor in the private database.
        let described = Waymark.Record.Asset(digest: file.asset.digest, size: file.asset.size)
        let own = Waymark.Record.ID(recordName: "r2")
        #expect(await code { _ = try await bob.bytes(of: described, in: own) } == .assetFileNotFound)
        #expect(await code { try await bob.save(Self.report(described, own)) } == .assetFileNotFound)
        let other = Waymark.Record.Asset(digest: TestFile(count: 10).asset.digest, size: 10)
        #expect(await code { _ = try await bob.bytes(of: other, in: Self.id) } == .assetFileNotFound)
        let privately = scene.container(1).privateDatabase
        #expect(await code { _ = try await privately.bytes(of: described, in: Self.id) } == .assetFileNotFound)
        // Who may not write the record may have uploaded the bytes, and changes nothing.
        #expect(await code { try await bob.save(Self.report(asset)) } != nil)
        // A record that is saved again needs no bytes, and one that is deleted has none.
        var again = saved
        again["photo"] = described
        again["text"] = "calm"
        try await alice.save(again)
        #expect(try await photo(bob) == file.bytes)
        try await alice.deleteRecord(withID: Self.id)
        #expect(await code { _ = try await bob.bytes(of: described, in: Self.id) } == .assetFileNotFound)
        // The copies have nothing of it.
        #expect(try scene.machines.allSatisfy { try $0.status().containers.allSatisfy { $0.records == 0 } })
        let empty = try Waymark.Record.Asset(bytes: [])
        try await alice.save(Self.report(empty, own))
        #expect(try await photo(bob, of: own) == [])
    }

    @Test func `an upload goes on where the hub has it, after the hub and waymark-sync were killed`() async throws {
        let file = TestFile(count: 600_000)
        let machine = scene.machines[0]
        func add(from offset: Int, _ count: Int, _ wrong: UInt8 = 0) throws -> SyncInterface.AddPublicAsset.Reply {
            let part = file.bytes[offset..<(offset + count)].map { $0 ^ wrong }
            return try machine.call(
                SyncInterface.AddPublicAsset(
                    container: SyncProcess.container, digest: HexText.text(file.asset.digest), size: file.asset.size,
                    offset: Int64(offset), bytes: Base64.text(part)))
        }
        #expect(try add(from: 0, 0).stored == 0)
        #expect(try add(from: 0, 262_144).stored == 262_144)
        try scene.hub.crash()
        try machine.crash()
        #expect(try add(from: 0, 0).stored == 262_144, "it is durable before the reply")
        // A part that begins elsewhere is not added.
        #expect(try add(from: 0, 1_000).stored == 262_144)
        #expect(try add(from: 262_144, 262_144).complete == false)
        #expect(throws: VarlinkError.self) { try add(from: 524_288, 75_712, 1) }
        #expect(try add(from: 0, 0).stored == 0, "bytes with another digest are removed")
        for offset in [0, 262_144] { _ = try add(from: offset, 262_144) }
        #expect(try add(from: 524_288, 75_712).complete && add(from: 0, 0).complete)
        let described = Waymark.Record.Asset(digest: file.asset.digest, size: file.asset.size)
        try await alice.save(Self.report(described))
        #expect(try await photo(bob) == file.bytes)
        try scene.hub.stop()
        #expect(await code { _ = try await bob.bytes(of: described, in: Self.id) } == .networkUnavailable)
        let further = try Waymark.Record.Asset(bytes: [1, 2, 3])
        #expect(await code { try await bob.save(Self.report(further, .init(recordName: "r3"))) } == .networkUnavailable)
    }

    @Test func `a hub that sends other bytes than those of the file is noticed`() async throws {
        let file = TestFile(count: 1_000)
        try await alice.save(Self.report(try Waymark.Record.Asset(bytes: file.bytes)))
        try scene.hub.stop()
        // The bytes are in a file of the hub's folder.
        let folder = scene.hub.folder.file("hub/assets")
        for name in DirectoryListing.names(folder) {
            try scene.hub.folder.write("hub/assets/\(name)", bytes: TestFile(count: 1_000, seed: 9).bytes)
        }
        try scene.hub.start()
        #expect(await code { _ = try await photo(bob) } == .incompatibleVersion)
    }
}
