import Authorization
import Storage

/// Recovers authorization from a database that was set aside.
///
/// A sound table is accepted completely. From a damaged table only denials are accepted: a wrongly preserved denial
/// costs a prompt, a wrongly preserved permission reveals a person's position.
struct AuthorizationSalvage {
    /// The database that was set aside; it is not modified.
    let path: String
    /// The reason why it was set aside.
    let damage: StorageError
    /// Whether this database was in use until now. An older one may contain a permission that was revoked since.
    let isLatest: Bool

    /// The recovered authorization, and the reason why it is incomplete.
    func read() -> LoadedAuthorization {
        do throws(StorageError) {
            return try Database.readingSetAside(path) { database throws(StorageError) in
                let version = try database.integer("PRAGMA user_version", as: "read the schema version") ?? 0
                // The first schema had no authorization.
                if version == 1 { return LoadedAuthorization() }
                return read(from: database, version)
            }
        } catch {
            return LoadedAuthorization(loss: loss("nothing in it can be read"))
        }
    }

    private func read(from database: borrowing Database, _ version: Int64) -> LoadedAuthorization {
        var state = StoredAuthorization()
        let areGrantsSound = isSound(["grants"], database) { () throws(StorageError) in
            var findings: [String] = []
            try database.readGrants(into: &state, &findings)
            return findings.isEmpty
        }
        let arePromptsSound = isSound(["prompts", "promptTexts"], database) { () throws(StorageError) in
            var findings: [String] = []
            try database.readPrompts(into: &state, &findings)
            return findings.isEmpty
        }
        if !arePromptsSound || !isLatest { state.removePrompts { _ in true } }
        let isStateSound = isSound(["state"], database) { () throws(StorageError) in
            var findings: [String] = []
            try database.readState(into: &state, &findings)
            return findings.isEmpty
        }
        let areAccountsSound =
            version < Migrations.firstWithAccounts
            || isSound(["accounts"], database) { () throws(StorageError) in
                var findings: [String] = []
                let hasHomeBirths = version >= Migrations.firstWithHomeBirths
                try database.readAccounts(into: &state, hasHomeBirths: hasHomeBirths, &findings)
                return findings.isEmpty
            }
        // Services that were turned off must not be on after the recovery.
        if !isStateSound { state.areServicesOn = false }
        state.lastPrompt = max(state.lastPrompt, state.prompts.last?.id ?? 0)
        if areGrantsSound, arePromptsSound, isStateSound, areAccountsSound, isLatest {
            return LoadedAuthorization(state)
        }
        // Without knowing to which account a permission belongs, it may belong to another account by now.
        if !isStateSound || !areAccountsSound || !isLatest {
            state.values = state.values.filter { !StoredTracking.mayPermit($0.key, $0.value) }
        }
        if !areGrantsSound || !areAccountsSound || !isLatest {
            state.grants = state.grants.filter { $0.value.permission == .denied }
        }
        let retained = areGrantsSound && areAccountsSound && isLatest ? "the grants" : "\(state.grants.count) denials"
        return LoadedAuthorization(state, loss: loss("\(retained) could be recovered"))
    }

    private func isSound(
        _ tables: [String], _ database: borrowing Database, _ read: () throws(StorageError) -> Bool
    ) -> Bool {
        do throws(StorageError) {
            // Reading comes first: the integrity check of the pages does not invalidate rows that can be read.
            var isSound = try read()
            for table in tables where isSound { isSound = try database.isSound(table: table) }
            return isSound
        } catch {
            return false
        }
    }

    private func loss(_ what: String) -> StorageError {
        StorageError("read authorization (\(path))", .unreadable, "\(damage.message); \(what)")
    }
}
