import Authorization
import CSQLite
import Glibc

/// What can still be known of authorization from a database that was set aside.
///
/// A table that is sound is believed. Of one that is not only what takes something away is: a no that is kept wrongly
/// costs a question, a yes that is kept wrongly costs somebody their position.
struct AuthorizationSalvage {
    /// The database that was set aside; it is left as it is.
    let path: String
    /// Why it was.
    let damage: JournalError
    /// Whether it was until just now the one in use. An older one may say yes to what somebody said no to since.
    let isLatest: Bool

    /// What can be known, and why it is not all.
    func read() -> LoadedAuthorization {
        let companions: [String] = ["-wal", "-shm"].map { path + $0 }.filter { access($0, F_OK) != 0 }
        // Reading makes them where they are missing; they hold nothing of their own then.
        defer { for companion in companions { unlink(companion) } }
        do throws(JournalError) {
            let database = try Database(path: path, isReadOnly: true)
            try database.set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true, as: "leave the log alone")
            try database.set(SQLITE_DBCONFIG_DEFENSIVE, true, as: "distrust the file")
            let version = try database.integer("PRAGMA user_version", as: "read the schema version") ?? 0
            // The first schema had nothing of authorization.
            if version == 1 { return LoadedAuthorization() }
            return read(from: database, version)
        } catch {
            return LoadedAuthorization(loss: loss("nothing in it can be read"))
        }
    }

    private func read(from database: borrowing Database, _ version: Int64) -> LoadedAuthorization {
        var state = StoredAuthorization()
        let areGrantsSound = isSound(["grants"], database) { () throws(JournalError) in
            var findings: [String] = []
            try database.readGrants(into: &state, &findings)
            return findings.isEmpty
        }
        let arePromptsSound = isSound(["prompts", "promptTexts"], database) { () throws(JournalError) in
            var findings: [String] = []
            try database.readPrompts(into: &state, &findings)
            return findings.isEmpty
        }
        if !arePromptsSound || !isLatest { state.removePrompts { _ in true } }
        let isStateSound = isSound(["state"], database) { () throws(JournalError) in
            var findings: [String] = []
            try database.readState(into: &state, &findings)
            return findings.isEmpty
        }
        let areAccountsSound =
            version < Migrations.firstWithAccounts
            || isSound(["accounts"], database) { () throws(JournalError) in
                var findings: [String] = []
                let hasHomeBirths = version >= Migrations.firstWithHomeBirths
                try database.readAccounts(into: &state, hasHomeBirths: hasHomeBirths, &findings)
                return findings.isEmpty
            }
        // Whoever turned services off must not find them on.
        if !isStateSound { state.areServicesOn = false }
        state.lastPrompt = max(state.lastPrompt, state.prompts.last?.id ?? 0)
        if areGrantsSound, arePromptsSound, isStateSound, areAccountsSound, isLatest {
            return LoadedAuthorization(state)
        }
        // Without knowing whose a permission is, it may be somebody else's by now.
        if !areGrantsSound || !areAccountsSound || !isLatest {
            state.grants = state.grants.filter { $0.value.permission == .denied }
        }
        let retained = areGrantsSound && areAccountsSound && isLatest ? "the grants" : "\(state.grants.count) denials"
        return LoadedAuthorization(state, loss: loss("\(retained) could be kept"))
    }

    private func isSound(
        _ tables: [String], _ database: borrowing Database, _ read: () throws(JournalError) -> Bool
    ) -> Bool {
        do throws(JournalError) {
            // First what can be read: what a check says of the pages takes nothing of it away.
            var isSound = try read()
            for table in tables where isSound { isSound = try database.isSound(table: table) }
            return isSound
        } catch {
            return false
        }
    }

    private func loss(_ what: String) -> JournalError {
        JournalError("read authorization (\(path))", .unreadable, "\(damage.message); \(what)")
    }
}
