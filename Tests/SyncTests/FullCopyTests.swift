import Cryptography
import Glibc
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

/// Assets on a machine whose disk is full, with a real hub, real programs and a real file system.
@Suite(
    .waits, .timeLimit(.minutes(15)),
    .enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs, which root has"))
struct FullCopyTests {
    private static let zone = RecordZone.ID(zoneName: "notes")
    private static let disk = 32 << 10

    private let hub: HubProcess
    private let disk: SmallDisk
    private let machine: SyncProcess
    private let relay: LimitingRelay
    private let tablet: HubDevice

    /// A machine whose copy is on a small disk, with a note that is sent.
    init() async throws {
        hub = try HubProcess()
        tablet = try hub.join("tablet", "alice")
        disk = try SmallDisk(kibibytes: Self.disk)
        relay = try LimitingRelay(to: hub.port)
        machine = try SyncProcess(copy: "\(disk.path)/copy")
        try machine.join(hub, as: "laptop", address: "http://127.0.0.1:\(relay.port)")
        try await database.save(RecordZone(zoneID: Self.zone))
        try await database.save(Self.note("first", nil))
        try await machine.notesContainer.synchronize()
    }

    private var database: Database { machine.notesContainer.privateDatabase }

    private static func id(_ name: String) -> Waymark.Record.ID { .init(recordName: name, zoneID: zone) }

    private static func note(_ name: String, _ asset: Waymark.Record.Asset?) -> Waymark.Record {
        var note = Waymark.Record(recordType: "Note", recordID: id(name))
        note["text"] = name
        note["photo"] = asset
        return note
    }

    private func bytes(of name: String) async throws -> [UInt8] {
        let record = try await database.record(for: Self.id(name))
        return try await database.bytes(
            of: try #require(record["photo", as: Waymark.Record.Asset.self]), in: Self.id(name))
    }

    /// Expects that something fails because of the disk, with what a person can do.
    private func expectFull(_ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("the disk is not full")
        } catch let error as RecordError {
            #expect(error.code == .notStored && "\(error)".contains("Free some space on the disk."), "\(error)")
        } catch { Issue.record(error) }
    }

    /// Expects that the copy has the file of a note, or the hub.
    private func expectBytes(_ file: TestFile, of name: String, _ when: Comment) async {
        do { #expect(try await bytes(of: name) == file.bytes, when) } catch { Issue.record(error, when) }
    }

    /// Saves notes that are smaller and smaller until none is stored any more, because the files of the copy have some room of their own.
    /// Returns the names of those that are stored.
    private func saveUntilFull(_ prefix: String) async throws -> [String] {
        var saved: [String] = []
        for size in [300_000, 30_000, 3_000, 10] {
            var isFull = false
            while !isFull {
                var note = Self.note("\(prefix)\(saved.count)", nil)
                note["text"] = String(repeating: "x", count: size)
                do {
                    try await database.save(note)
                    saved.append(note.recordID.recordName)
                } catch let error as RecordError where error.code == .notStored {
                    #expect("\(error)".contains("Free some space on the disk."), "\(error)")
                    isFull = true
                }
            }
        }
        return saved
    }

    /// Whether a condition becomes true, without blocking a thread that the calls of the library need.
    private func isTrue(_ condition: () async throws -> Bool) async throws -> Bool { try await eventually(condition) }

    /// Attaches a file to a note of another machine, and waits until the machine with the small disk has the note.
    private func attach(_ file: TestFile, to name: String) async throws {
        let path = "\(HubDevice.zone("alice"))/assets/\(HexText.text(file.asset.digest))"
        let answer = try HTTPExchange.perform(
            "PUT", path, headers: ["Authorization: Bearer \(tablet.token ?? "")"], body: file.bytes, port: hub.port)
        #expect(answer?.status == 201)
        let asset = #"{"digest":"\#(HexText.text(file.asset.digest))","size":\#(file.asset.size)}"#
        let saved = try tablet.send(
            "PUT", "\(HubDevice.zone("alice"))/records/\(name)",
            #"{"type":"Note","fields":{"text":{"string":"\#(name)"},"photo":{"asset":\#(asset)}}}"#)
        #expect(saved.status == 201)
        try await machine.notesContainer.synchronize()
    }

    @Test func `a download that fills the disk ends with what to do, and goes on where it was`() async throws {
        let (small, large) = (TestFile(count: 100_000, seed: 1), TestFile(count: 6 << 20, seed: 2))
        try await attach(small, to: "small")
        try await attach(large, to: "large")
        await expectBytes(small, of: "small", "at first")
        // Enough for some parts of the large one.
        try disk.fill(butFor: 3 << 10)
        let before = relay.passed.responses
        await expectFull { _ = try await bytes(of: "large") }
        let first = relay.passed.responses - before
        #expect(first > 2 << 20 && first < 6 << 20, "\(first)")
        // What is here can be read all the same, and what cannot be stored is refused.
        try disk.fill()
        var saved = try await saveUntilFull("a")
        await expectBytes(small, of: "small", "on a full disk")
        // Also for a program that is started while the disk is full.
        try machine.crash()
        await expectBytes(small, of: "small", "after a start on a full disk")
        #expect(try await database.record(for: Self.id("first"))["text", as: String.self] == "first")
        await expectFull { _ = try await bytes(of: "large") }
        saved += try await saveUntilFull("b")
        try tablet.save("other", "milk")
        let isReported = try await isTrue { try machine.status().problem?.contains("Free some space") ?? false }
        #expect(isReported, "\(machine.log)")
        // What others have changed meanwhile comes by itself when there is room, and what was saved is sent.
        disk.free()
        #expect(try await isTrue { try machine.notes()["other"] == "milk" })
        #expect(try await isTrue { try Set(tablet.changes().changed.keys).isSuperset(of: saved) }, "\(saved)")
        await expectBytes(large, of: "large", "when there is room")
        // No part was received twice, besides the ones for which there was no room.
        let received = relay.passed.responses - before
        #expect(received < 6 << 20 + 4 << 20, "\(received)")
    }

    @Test func `a file that an app adds on a full disk is refused with what to do, and nothing acknowledged is lost`()
        async throws
    {
        let file = TestFile(count: 6 << 20)
        func add(from offset: Int64, _ count: Int) throws -> SyncInterface.AddAsset.Reply {
            let part = file.bytes[Int(offset)..<min(file.bytes.count, Int(offset) + count)]
            return try machine.call(
                SyncInterface.AddAsset(
                    container: SyncProcess.container, zone: "notes", digest: HexText.text(file.asset.digest),
                    size: file.asset.size, offset: offset, bytes: Base64.text(Array(part))))
        }
        // While the hub cannot be reached.
        relay.permit(requests: 0)
        try await database.save(Self.note("unsent", nil))
        try disk.fill(butFor: 4 << 10)
        var stored: Int64 = 0
        do {
            while stored < file.asset.size { stored = try add(from: stored, 262_144).stored }
            Issue.record("the disk is not full")
        } catch let error as VarlinkError {
            #expect("\(error)".contains("Free some space on the disk."), "\(error)")
        }
        #expect(stored > 0)
        let asset = try Waymark.Record.Asset(bytes: file.bytes)
        try disk.fill()
        await expectFull { try await database.save(Self.note("photo", asset)) }
        try machine.crash()
        await expectFull { try await database.save(Self.note("photo", asset)) }
        disk.free()
        #expect(try add(from: 0, 0).stored == stored, "what was acknowledged is there, and nothing else")
        try await database.save(Self.note("photo", asset))
        relay.permit()
        // Both notes are sent by themselves.
        let reader = try hub.join("reader", "alice")
        let expected = ["first": "first", "unsent": "unsent", "photo": "photo"]
        #expect(try await isTrue { try reader.changes().changed == expected })
        let path = "\(HubDevice.zone("alice"))/records/photo/assets/\(HexText.text(file.asset.digest))"
        let answer = try HTTPExchange.perform(
            "HEAD", path, headers: ["Authorization: Bearer \(reader.token ?? "")"], port: hub.port)
        #expect(answer?.status == 200 && answer?.headers["content-length"] == "\(file.asset.size)")
        #expect(try machine.refused().isEmpty)
    }

    @Test func `an upload to a hub whose disk is full goes on by itself, and the machine says what the hub says`()
        async throws
    {
        let store = try SmallDisk(kibibytes: Self.disk)
        let small = try HubProcess(store: "\(store.path)/hub")
        let phone = try SyncProcess()
        try phone.join(small, as: "phone")
        let database = phone.notesContainer.privateDatabase
        try await database.save(RecordZone(zoneID: Self.zone))
        try await phone.notesContainer.synchronize()
        let file = TestFile(count: 6 << 20)
        try store.fill(butFor: 3 << 10)
        try await database.save(Self.note("photo", try Waymark.Record.Asset(bytes: file.bytes)))
        let isReported = try await isTrue {
            try phone.status().problem?.contains("The hub cannot store or read records at present") ?? false
        }
        #expect(isReported, "\(phone.log)")
        #expect(small.log.contains("Free some space on the disk"), "\(small.log)")
        #expect(try phone.refused().isEmpty)
        store.free()
        let reader = try small.join("reader", "alice")
        #expect(try await isTrue { try reader.changes().changed == ["photo": "photo"] })
        let path = "\(HubDevice.zone("alice"))/records/photo/assets/\(HexText.text(file.asset.digest))"
        let answer = try HTTPExchange.perform(
            "HEAD", path, headers: ["Authorization: Bearer \(reader.token ?? "")"], port: small.port)
        #expect(answer?.status == 200 && answer?.headers["content-length"] == "\(file.asset.size)")
        #expect(try phone.refused().isEmpty)
    }
}
