import Records
import Storage
import TestSupport
import Testing
import Upload

@testable import Sync

/// Uploads of assets that the hub refuses for a reason that this version does not know.
@Suite struct RefusedUploadTests {
    private static let zone = ZoneID(SimulatedMachine.container, owner: named("alice"), named("notes"))
    private let folder: TemporaryDirectory
    private let hub: SimulatedHub
    private let machine: SimulatedMachine
    private let file = TestFile(count: 3_000)

    init() throws {
        folder = try TemporaryDirectory()
        hub = try SimulatedHub(folder: folder.file("hub"))
        machine = try SimulatedMachine("laptop", folder: folder.file("laptop"), hub: hub)
        _ = try machine.edit { (tables, row, account) throws(StorageError) in
            try tables.modify(row, of: account, saving: [named("notes")], deleting: [])
        }
    }

    private func save(_ name: String, _ fields: [FieldName: FieldValue]) throws {
        let (file, now) = (file, hub.now)
        let draft = RecordDraft(named(name), named("Note"), fields)
        let refusal = try machine.edit { (tables, row, account) throws(StorageError) in
            guard let zone = try tables.present(Self.zone, in: row, of: account) else {
                return .zoneNotFound(named("notes"))
            }
            _ = try tables.add(file.asset, from: 0, file.bytes, in: zone, at: now, AssetLimits())
            return try tables.modify(zone, ModifyRecords(Self.zone, saves: [ModifyRecords.Save(draft)]))
        }
        #expect(refusal == nil)
    }

    private func rest() throws {
        var past: [(HubRequest, String)] = []
        while try machine.step(.delivered, past: &past) {}
    }

    /// The outcomes of the changes that are set aside.
    private func refused() throws -> [RecordOutcome] {
        try machine.cache.read { (tables) throws(StorageError) in
            guard let row = try tables.find(SimulatedMachine.container) else { return [] }
            return try tables.refused(in: row, after: 0, limit: .max).compactMap { change in
                attempt { () throws(FormatError) in try RecordOutcome(json: Array(change.outcome.utf8)) }
            }
        }
    }

    @Test(arguments: [400, 403, 415, 422]) func `an upload that is refused again and again ends, and is tried anew`(
        status: Int
    ) throws {
        try rest()
        try save("n1", [named("photo"): .asset(file.asset)])
        try save("n2", [named("number"): .integer(2)])
        hub.uploadAnswer = HTTPAnswer(
            status: status, headers: [],
            body: Array(#"{"error":"ofALaterVersion","message":"The hub stores no files of this kind."}"#.utf8))
        // Each of the repetitions follows a pause.
        machine.permittedPauses = 3
        try rest()
        #expect(try refused() == [.assetNotFound(file.asset.digest)])
        #expect(hub.uploads == 4 && machine.permittedPauses == 0)
        #expect(try hub.records() == ["notes/n2": ["number": 2]])
        // The program saves the record again when the hub accepts files.
        hub.uploadAnswer = nil
        try save("n1", [named("photo"): .asset(file.asset)])
        try rest()
        #expect(try refused() == [] && Set(hub.records().keys) == ["notes/n1", "notes/n2"])
    }
}
