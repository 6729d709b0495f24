import JSONText
import Records
import Storage
import TestSupport
import TestTraits
import Testing

@testable import Sync

/// Machines that change records with assets, while requests and answers are lost and programs crash.
@Suite(.computes) struct AssetConvergenceTests {
    private let folder: TemporaryDirectory
    private let hub: SimulatedHub
    private let machines: [SimulatedMachine]
    private static let files = (0..<6).map { TestFile(count: $0 * 500, seed: UInt8($0)) }

    init() throws {
        folder = try TemporaryDirectory()
        let hub = try SimulatedHub(folder: folder.file("hub"))
        self.hub = hub
        let folder = folder
        machines = try ["laptop", "phone", "tablet"].map {
            try SimulatedMachine($0, folder: folder.file($0), hub: hub)
        }
    }

    private static let zone = ZoneID(SimulatedMachine.container, owner: named("alice"), named("notes"))

    /// Does something with the zone of a machine, if it has it.
    private func edit(
        _ machine: SimulatedMachine, _ body: (CacheTables, Sync.ZoneRow) throws(StorageError) -> EditRefusal?
    ) throws -> EditRefusal? {
        try machine.edit { (tables, row, account) throws(StorageError) in
            guard let zone = try tables.present(Self.zone, in: row, of: account) else {
                return .zoneNotFound(named("notes"))
            }
            return try body(tables, zone)
        }
    }

    private func change(_ machine: SimulatedMachine, _ random: inout SeededGenerator) throws {
        let name: RecordName = named("n\(Int.random(in: 0..<5, using: &random))")
        let files = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in
            Self.files.randomElement(using: &random)
        }
        let addsBytes = Int.random(in: 0..<4, using: &random) > 0
        let policy: SavePolicy = Bool.random(using: &random) ? .allKeys : .changedKeys
        let isDeletion = Int.random(in: 0..<4, using: &random) == 0
        let now = hub.now
        let refusal = try edit(machine) { (tables, zone) throws(StorageError) in
            var request = ModifyRecords(Self.zone)
            if isDeletion {
                request.deletions = [ModifyRecords.Deletion(name)]
            } else {
                for file in files where addsBytes {
                    _ = try tables.add(file.asset, from: 0, file.bytes, in: zone, at: now, AssetLimits())
                }
                guard let list = FieldList(.asset, files.map { .asset($0.asset) }) else { return nil }
                request.saves = [
                    ModifyRecords.Save(RecordDraft(name, named("Note"), [named("files"): .list(list)]), policy)
                ]
            }
            return try tables.modify(zone, request)
        }
        switch refusal {
        case nil, .zoneNotFound: break
        case .assetNotFound: #expect(!addsBytes)
        default: Issue.record("\(refusal as Any)")
        }
    }

    /// The tables of assets are what the records and changes make them.
    private func check(_ machine: SimulatedMachine) throws {
        let (holders, expected, rows) = try machine.cache.read { (tables) throws(StorageError) in
            var holders: Set<String> = []
            var expected: Set<String> = []
            var rows: [String: Int64] = [:]
            func all(_ sql: String, _ body: (borrowing Row) throws(StorageError) -> Void) throws(StorageError) {
                try Statement(tables.statements.database, sql, as: "compare").run { (row) throws(StorageError) in
                    try body(row)
                    return true
                }
            }
            try all("SELECT name, holder, digest FROM assetHolders") { row in
                holders.insert("\(row.text(0)) \(row.integer(1)) \(row.text(2))")
            }
            try all("SELECT name, base FROM records WHERE base IS NOT NULL") { (row) throws(StorageError) in
                for asset in try CacheTables.record(row.text(1)).assets {
                    expected.insert("\(row.text(0)) 1 \(HexText.text(asset.digest))")
                }
            }
            try all("SELECT name, sent, pending, error, restoration FROM changes") { (row) throws(StorageError) in
                let change = try CacheTables.change(row, 1, Self.zone)
                let parts = [(change.sent, 2), (change.restoration, 2), (change.pending, change.error == nil ? 2 : 4)]
                for case (.save(let save)?, let holder) in parts {
                    for asset in save.draft.assets {
                        expected.insert("\(row.text(0)) \(holder) \(HexText.text(asset.digest))")
                    }
                }
            }
            try all("SELECT digest, holders FROM assets") { row in rows[row.text(0)] = row.integer(1) }
            return (holders, expected, rows)
        }
        #expect(holders == expected, "\(machine.name)")
        for (digest, sum) in rows {
            let parts = Set(expected.filter { $0.hasSuffix(digest) }.compactMap { Int64($0.split(separator: " ")[1]) })
            #expect(sum == parts.reduce(0, +), "\(machine.name): \(digest)")
        }
    }

    private func clean(_ machine: SimulatedMachine, at now: Int64) throws {
        while try machine.cache.write({ (tables) throws(StorageError) in
            try tables.removeAssets(at: now, AssetLimits())
        }) {}
        while try machine.cache.write({ (tables) throws(StorageError) in try tables.removePiece() }) {}
    }

    @Test(arguments: 0..<8) func `at the end the hub has the bytes of each record, and no copy what nobody needs`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var past: [(HubRequest, String)] = []
        _ = try machines[0].edit { (tables, row, account) throws(StorageError) in
            try tables.modify(row, of: account, saving: [named("notes")], deleting: [])
        }
        for _ in 0..<250 {
            guard let machine = machines.randomElement(using: &random) else { return }
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: try change(machine, &random)
            case 4: try machine.markStale()
            case 5: try clean(machine, at: hub.now)
            default:
                let fate =
                    Int.random(in: 0..<3, using: &random) > 0
                    ? .delivered
                    : SimulatedMachine.Fate.allCases.randomElement(
                        using: &random)
                _ = try machine.step(fate ?? .delivered, past: &past)
            }
            hub.now += 1_000_000
            try check(machine)
        }
        // Each sends what it has, and then fetches what the others have sent.
        for _ in 0..<2 {
            for machine in machines {
                try machine.markStale()
                while try machine.step(.delivered, past: &past) {}
                try check(machine)
            }
        }
        let token = try hub.join("reader")
        for machine in machines {
            try clean(machine, at: hub.now + AssetLimits.patience + 1)
            let (records, waiting, unneeded) = try machine.cache.read { (tables) throws(StorageError) in
                var records: [(RecordName, Set<Asset>)] = []
                try Statement(tables.statements.database, "SELECT base FROM records WHERE base IS NOT NULL", as: "read")
                    .run {
                        (row) throws(StorageError) in
                        let record = try CacheTables.record(row.text(0))
                        records.append((record.name, record.assets))
                        return true
                    }
                let waiting = try tables.statements.database.integer(
                    "SELECT count(*) FROM changes WHERE error IS NULL", as: "read")
                let unneeded = try tables.statements.database.integer(
                    "SELECT count(*) FROM assets WHERE holders = 0", as: "read")
                return (records, waiting, unneeded)
            }
            #expect(waiting == 0 && unneeded == 0, "\(machine.name)")
            for (name, assets) in records {
                for asset in assets {
                    let file = try #require(Self.files.first { $0.asset == asset })
                    let path = HubAddress.asset(asset.digest, of: name, in: Self.zone)
                    let reply = try hub.answer(HubRequest(method: .get, path: path), token: token)
                    #expect(reply == .done(file.bytes), "\(machine.name): \(name)")
                }
            }
            // What was refused because of its files is only what the copy had no bytes of.
            try machine.cache.read { (tables) throws(StorageError) in
                guard let row = try tables.find(SimulatedMachine.container),
                    let zone = try tables.find(Self.zone, in: row)
                else { return }
                for change in try tables.refused(in: row, after: 0, limit: .max) {
                    let outcome = attempt { () throws(FormatError) in
                        try RecordOutcome(json: Array(change.outcome.utf8))
                    }
                    guard case .assetNotFound(let digest)? = outcome else { continue }
                    #expect(try tables.asset(digest, in: zone)?.isComplete != true, "\(machine.name): \(change.name)")
                }
            }
        }
    }
}
