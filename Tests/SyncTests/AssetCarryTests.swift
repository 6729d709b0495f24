import Cryptography
import Glibc
import JSONText
import Platform
import SyncInterface
import TestHubs
import TestSupport
import TestTraits
import Testing
import Varlink
import Waymark

/// Assets from one machine to another, with a real hub and real programs that are killed and cut off meanwhile.
@Suite(.waits, .timeLimit(.minutes(15))) struct AssetCarryTests {
    private static let zone = RecordZone.ID(zoneName: "notes")
    private static let id = Record.ID(recordName: "n1", zoneID: zone)

    private static func note(_ asset: Record.Asset?, _ name: String = "n1", text: String = "milk") -> Record {
        var note = Record(recordType: "Note", recordID: Record.ID(recordName: name, zoneID: zone))
        note["text"] = text
        note["photo"] = asset
        return note
    }

    private static func asset(_ file: TestFile) throws -> Record.Asset { try Record.Asset(bytes: file.bytes) }

    private func code(_ body: () async throws -> Void) async -> RecordError.Code? {
        do { try await body() } catch let error as RecordError { return error.code } catch { Issue.record(error) }
        return nil
    }

    /// Whether a condition becomes true, without blocking a thread that the calls of the library need.
    private func isTrue(_ condition: () async throws -> Bool) async throws -> Bool { try await eventually(condition) }

    /// The bytes of the asset of a record.
    private func photo(_ database: Database, of id: Record.ID = id) async throws -> [UInt8] {
        let record = try await database.record(for: id)
        return try await database.bytes(of: try #require(record["photo", as: Record.Asset.self]), in: id)
    }

    private func makeZone(_ scene: SyncMachines) async throws {
        try await scene.database(0).save(RecordZone(zoneID: Self.zone))
        try await scene.container(0).synchronize()
    }

    @Test func `a file that is attached on one machine is read on another, also offline and after a restart`()
        async throws
    {
        let scene = try SyncMachines("laptop", "phone")
        let (here, there) = (scene.database(0), scene.database(1))
        let folder = try TemporaryDirectory()
        let file = TestFile(count: 1_500_000)
        try folder.write("photo.jpg", bytes: file.bytes)
        // It is saved without the hub, and the app's own file is not needed any more.
        try await makeZone(scene)
        try scene.hub.stop()
        try await here.save(Self.note(try Record.Asset(filePath: folder.file("photo.jpg"))))
        unlink(folder.file("photo.jpg"))
        try scene.machines[0].crash()
        #expect(try await photo(here) == file.bytes)
        try scene.hub.start()
        try await scene.container(0).synchronize()
        #expect(try await here.refusedChanges().isEmpty)
        _ = try await there.allRecordZones()
        try await scene.container(1).synchronize()
        let note = try await there.record(for: Self.id)
        let photo = try #require(note["photo", as: Record.Asset.self])
        #expect(try photo.size == 1_500_000 && photo == Self.asset(file))
        // Nothing was downloaded yet.
        try scene.hub.stop()
        #expect(await code { _ = try await there.bytes(of: photo, in: Self.id) } == .networkUnavailable)
        try scene.hub.start()
        try await there.write(photo, in: Self.id, to: folder.file("copy.jpg"))
        #expect(try BoundedFile.bytes(of: folder.file("copy.jpg"), limit: 1 << 24) == file.bytes)
        #expect(DirectoryListing.names(folder.path) == ["copy.jpg"])
        // Now it is here.
        try scene.hub.stop()
        try scene.machines[1].crash()
        #expect(try await there.bytes(of: photo, in: Self.id) == file.bytes)
        // A copy of the record needs no bytes on the machine that makes it.
        try scene.hub.start()
        try await there.save(Self.note(photo, "n2"))
        try await scene.container(1).synchronize()
        try await scene.container(0).synchronize()
        #expect(try await self.photo(here, of: Record.ID(recordName: "n2", zoneID: Self.zone)) == file.bytes)
    }

    @Test func `an app that adds a file is interrupted, and goes on where it was`() throws {
        let scene = try SyncMachines("laptop")
        let machine = scene.machines[0]
        try machine.makeZone()
        let file = TestFile(count: 600_000)
        func add(from offset: Int, _ count: Int) throws -> SyncInterface.AddAsset.Reply {
            try machine.call(
                SyncInterface.AddAsset(
                    container: SyncProcess.container, zone: "notes", digest: HexText.text(file.asset.digest),
                    size: file.asset.size, offset: Int64(offset),
                    bytes: Base64.text(Array(file.bytes[offset..<(offset + count)]))))
        }
        #expect(try add(from: 0, 262_144).stored == 262_144)
        try machine.crash()
        #expect(try add(from: 0, 0).stored == 262_144, "it is durable before the reply")
        #expect(try add(from: 262_144, 262_144).complete == false)
        #expect(try add(from: 524_288, 75_712).complete)
    }

    @Test(arguments: ["the hub is killed", "waymark-sync is killed", "the connection breaks"])
    func `an upload that is interrupted goes on where the hub has it`(interruption: String) async throws {
        let hub = try HubProcess()
        let relay = try LimitingRelay(to: hub.port)
        let machine = try SyncProcess()
        try machine.join(hub, as: "laptop", address: "http://127.0.0.1:\(relay.port)")
        let database = machine.notesContainer.privateDatabase
        try await database.save(RecordZone(zoneID: Self.zone))
        try await machine.notesContainer.synchronize()
        let file = TestFile(count: 3 << 20)
        let before = relay.passed.requests
        relay.permit(requests: 2 << 20 + 100_000)
        try await database.save(Self.note(try Self.asset(file)))
        #expect(try await isTrue { relay.isExhausted })
        switch interruption {
        case "the hub is killed":
            try hub.crash()
            relay.cut()
        case "waymark-sync is killed": try machine.crash()
        default: relay.cut()
        }
        relay.permit()
        try await machine.notesContainer.synchronize()
        #expect(try await database.refusedChanges().isEmpty)
        #expect(try await database.record(for: Self.id).recordChangeTag != nil)
        // The part in which it was interrupted is sent again, and nothing before.
        let sent = relay.passed.requests - before
        #expect(sent > 3 << 20 && sent < 4 << 20 + 300_000, "\(sent)")
        let path = "\(HubDevice.zone("alice"))/records/n1/assets/\(HexText.text(file.asset.digest))"
        let answer = try HTTPExchange.perform(
            "GET", path, headers: ["Authorization: Bearer \(hub.join("reader", "alice").token ?? "")"], body: [],
            port: hub.port, seconds: 60)
        #expect(answer?.status == 200 && answer?.headers["content-length"] == "\(3 << 20)")
    }

    @Test(arguments: ["the hub is killed", "waymark-sync is killed", "the connection breaks"])
    func `a download that is interrupted goes on where the copy has it`(interruption: String) async throws {
        let scene = try SyncMachines("laptop")
        try await makeZone(scene)
        let file = TestFile(count: 3 << 20)
        try await scene.database(0).save(Self.note(try Self.asset(file)))
        try await scene.container(0).synchronize()
        let relay = try LimitingRelay(to: scene.hub.port)
        let phone = try SyncProcess()
        try phone.join(scene.hub, as: "phone", address: "http://127.0.0.1:\(relay.port)")
        let database = phone.notesContainer.privateDatabase
        _ = try await database.allRecordZones()
        try await phone.notesContainer.synchronize()
        let before = relay.passed.responses
        relay.permit(responses: 2 << 20 + 100_000)
        let first = Task { try await photo(database) }
        #expect(try await isTrue { relay.isExhausted })
        switch interruption {
        case "the hub is killed":
            try scene.hub.crash()
            relay.cut()
        case "waymark-sync is killed": try phone.crash()
        default: relay.cut()
        }
        await #expect(throws: RecordError.self) { _ = try await first.value }
        relay.permit()
        #expect(try await photo(database) == file.bytes)
        let received = relay.passed.responses - before
        #expect(received > 3 << 20 && received < 4 << 20 + 500_000, "\(received)")
    }

    @Test func `other records are sent and fetched while a file waits on a slow route`() async throws {
        let hub = try HubProcess()
        let relay = try LimitingRelay(to: hub.port)
        let machine = try SyncProcess()
        try machine.join(hub, as: "laptop", address: "http://127.0.0.1:\(relay.port)")
        let database = machine.notesContainer.privateDatabase
        try await database.save(RecordZone(zoneID: Self.zone))
        try await machine.notesContainer.synchronize()
        relay.permit(requests: 1 << 20 + 300_000)
        try await database.save(Self.note(try Self.asset(TestFile(count: 3 << 20))))
        #expect(try await isTrue { relay.isExhausted })
        try await database.save(Self.note(nil, "n2", text: "bread"))
        // As much as the part in progress and the record need.
        relay.permit(requests: 900_000)
        let reader = try hub.join("reader", "alice")
        #expect(try await isTrue { attempt { try reader.changes().changed } == ["n2": "bread"] })
        relay.permit()
        try await machine.notesContainer.synchronize()
        #expect(try reader.changes().changed == ["n1": "milk", "n2": "bread"])
    }

    @Test func `another app, another account and a removed record get nothing of a file`() async throws {
        var scene = try SyncMachines("laptop", "phone")
        let bob = try scene.add("desktop", of: "bob")
        try await makeZone(scene)
        let file = TestFile(count: 100_000)
        try await scene.database(0).save(Self.note(try Self.asset(file)))
        try await scene.container(0).synchronize()
        let digest = HexText.text(file.asset.digest)
        func read(_ machine: SyncProcess, _ container: String, _ zone: String?, _ name: String) -> SyncInterface
            .Failure?
        {
            do {
                _ = try machine.call(
                    SyncInterface.ReadAsset(container: container, zone: zone, name: name, digest: digest, offset: 0))
                return nil
            } catch {
                guard case .reply(let name, let details) = error as? VarlinkError else { return nil }
                return SyncInterface.Failure(name: name, parameters: details)
            }
        }
        func isNotFound(_ failure: SyncInterface.Failure?) -> Bool {
            switch failure {
            case .assetNotFound, .zoneNotFound: true
            default: false
            }
        }
        #expect(read(scene.machines[0], SyncProcess.container, "notes", "n1") == nil)
        // Other records, zones and containers of the same account, with the same digest.
        try await scene.database(0).save(Self.note(nil, "n2"))
        #expect(isNotFound(read(scene.machines[0], SyncProcess.container, "notes", "n2")))
        #expect(isNotFound(read(scene.machines[0], SyncProcess.container, "notes", "n3")))
        #expect(isNotFound(read(scene.machines[0], SyncProcess.container, nil, "n1")))
        #expect(isNotFound(read(scene.machines[0], "org.example.maps", "notes", "n1")))
        #expect(isNotFound(read(bob, SyncProcess.container, "notes", "n1")))
        // Who has the digest only cannot save a record that has it, and so not read it either.
        let maps = Container(identifier: "org.example.maps", socketPath: scene.machines[0].socket).privateDatabase
        let described = Record.Asset(digest: file.asset.digest, size: file.asset.size)
        var stolen = Record(recordType: "Note", recordID: Record.ID(recordName: "n1"))
        stolen["photo"] = described
        #expect(await code { try await maps.save(stolen) } == .assetFileNotFound)
        let bobs = bob.notesContainer.privateDatabase
        #expect(await code { try await bobs.save(stolen) } == .assetFileNotFound)
        // With the record its bytes are unavailable to everybody.
        let there = scene.database(1)
        _ = try await there.allRecordZones()
        try await scene.container(1).synchronize()
        try await scene.database(0).deleteRecord(withID: Self.id)
        try await scene.container(0).synchronize()
        #expect(await code { _ = try await there.bytes(of: described, in: Self.id) } == .assetFileNotFound)
        #expect(isNotFound(read(scene.machines[0], SyncProcess.container, "notes", "n1")))
    }

    @Test func `downloaded files are removed where there is no room, and downloaded again`() async throws {
        let scene = try SyncMachines("laptop")
        try await makeZone(scene)
        let files = (1...4).map { TestFile(count: 500_000, seed: UInt8($0)) }
        for (index, file) in files.enumerated() {
            try await scene.database(0).save(Self.note(try Self.asset(file), "n\(index)"))
        }
        try await scene.container(0).synchronize()
        let phone = try SyncProcess(more: ["--asset-cache", "1"])
        try phone.join(scene.hub, as: "phone")
        let database = phone.notesContainer.privateDatabase
        _ = try await database.allRecordZones()
        try await phone.notesContainer.synchronize()
        func read(_ index: Int) async throws -> [UInt8] {
            try await photo(database, of: Record.ID(recordName: "n\(index)", zoneID: Self.zone))
        }
        for index in [0, 1, 2, 3] { #expect(try await read(index) == files[index].bytes) }
        try scene.hub.stop()
        // Two fit into a mebibyte.
        #expect(try await read(3) == files[3].bytes)
        #expect(try await read(2) == files[2].bytes)
        #expect(await code { _ = try await read(0) } == .networkUnavailable)
        try scene.hub.start()
        #expect(try await read(0) == files[0].bytes)
        try scene.hub.stop()
        #expect(await code { _ = try await read(3) } == .networkUnavailable)
        #expect(try await read(2) == files[2].bytes)
    }

    @Test func `files of the app that are wrong are refused with the reason`() async throws {
        let scene = try SyncMachines("laptop")
        let database = scene.database(0)
        try await makeZone(scene)
        let folder = try TemporaryDirectory()
        #expect(await code { _ = try Record.Asset(filePath: folder.file("none")) } == .assetFileNotFound)
        #expect(await code { _ = try Record.Asset(filePath: folder.path) } == .assetFileNotFound)
        let path = folder.file("large")
        let file = try OwnedDescriptor("open") { open(path, O_WRONLY | O_CREAT, 0o600) }
        #expect(ftruncate(file.number, 250 << 20 + 1) == 0)
        #expect(await code { _ = try Record.Asset(filePath: path) } == .limitExceeded)
        // It becomes another one before it is saved, shorter or of the same size.
        for bytes in [[1, 2] as [UInt8], [9, 9, 9]] {
            try folder.write("photo", bytes: [1, 2, 3])
            let asset = try Record.Asset(filePath: folder.file("photo"))
            try folder.write("photo", bytes: bytes)
            #expect(await code { try await database.save(Self.note(asset)) } == .assetFileNotFound)
        }
        let asset = try Record.Asset(filePath: folder.file("photo"))
        unlink(folder.file("photo"))
        #expect(await code { try await database.save(Self.note(asset)) } == .assetFileNotFound)
        let unknown = Record.ID(recordName: "none", zoneID: Self.zone)
        #expect(await code { _ = try await database.bytes(of: asset, in: unknown) } == .assetFileNotFound)
        // A file that replaces nothing is not left in part.
        try await database.save(Self.note(try Record.Asset(bytes: [])))
        let empty = try #require(try await database.record(for: Self.id)["photo", as: Record.Asset.self])
        #expect(
            await code { try await database.write(empty, in: unknown, to: folder.file("out")) } == .assetFileNotFound)
        #expect(await code { try await database.write(empty, in: Self.id, to: folder.file("a/b")) } == .notStored)
        #expect(DirectoryListing.names(folder.path) == ["large"])
        try await database.write(empty, in: Self.id, to: folder.file("out"))
        #expect(try BoundedFile.bytes(of: folder.file("out"), limit: 10) == [])
    }
}
