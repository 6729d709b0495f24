import Cryptography
import Platform
import Records
import RecordsPostgreSQL
import RecordsSQLite
import Storage

/// Where a hub stores its records: a file in its folder, or a database that it may share with other hubs.
@DaemonActor
struct HubStorage {
    let desk: any HubDesk
    /// The notifications of other hubs; nil with a file, which one hub uses alone.
    let notices: DeviceNotices?

    /// Uses the database with this connection string, or opens the file of the folder without one.
    init(_ database: String?, _ folder: HubFolder) throws {
        let thread = try StorageThread(capacity: 64)
        guard let database else {
            let signer = HubSigner(key: try folder.key())
            desk = RecordDesk(
                try SQLiteEngine(folder: folder.path), rules: SyncRules(), on: thread, random: RandomBytes.make,
                signer: { (_) throws(EngineFailure) in signer })
            notices = nil
            return
        }
        let backend = BackendNumber()
        notices = try DeviceNotices(database, except: backend)
        // It connects on the desk's thread. A hub that starts before its database does serves all the same, as one does that
        // loses it later.
        desk = RecordDesk(
            PostgreSQLEngine(unconnected: database, backend: backend), rules: SyncRules(), on: thread,
            random: RandomBytes.make, signer: Self.signer)
    }

    /// The signer with the key of all hubs of the database.
    private nonisolated static func signer(_ engine: PostgreSQLEngine) throws(EngineFailure) -> HubSigner {
        let stored = try engine.hubKey(orNew: RandomBytes.make(SymmetricKey.size))
        do throws(SystemError) {
            if let key = try SymmetricKey(copying: stored) { return HubSigner(key: key) }
        } catch {
            throw EngineFailure("copy the hubs' key", reason: "\(error)")
        }
        throw EngineFailure(
            "read the hubs' key",
            reason: "the database has none of \(SymmetricKey.size) bytes. Restore a backup, or make a new one with"
                + " waymark-hub restored.")
    }
}
