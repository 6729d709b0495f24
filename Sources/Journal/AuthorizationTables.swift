import Authorization
import Location
import Storage

// The SQL for authorization: the tables of schema 2, and the conversion of their rows to values of `Authorization`.

extension Database {
    /// The names of rows of table `state` that are not a caller's values.
    private enum StateName {
        static let restored = "authorizationRestored"
        static let services = "areServicesOn"
        static let lastPrompt = "lastPrompt"
        /// The prefix of the name of a caller's value.
        static let value = "value:"
    }

    /// Whether the authorization from before this file existed has been restored into it.
    func isAuthorizationRestored() throws(StorageError) -> Bool {
        try integer(
            "SELECT value FROM state WHERE name = '\(StateName.restored)'", as: "read whether grants are restored") == 1
    }

    /// Writes a complete authorization into a file that has none, within a transaction.
    func restore(_ state: StoredAuthorization, atMicroseconds time: Int64) throws(StorageError) {
        for (app, grant) in state.grants { try apply(.grant(app, grant), atMicroseconds: time) }
        for prompt in state.prompts {
            try apply(.prompt(prompt), atMicroseconds: state.raisedAt[prompt.id]?.microseconds ?? time)
        }
        if !state.areServicesOn { try apply(.services(isOn: false), atMicroseconds: time) }
        for (uid, account) in state.accounts { try apply(.account(uid, account), atMicroseconds: time) }
        for (name, value) in state.values { try apply(.value(name, value), atMicroseconds: time) }
        try setState(StateName.lastPrompt, .integer(Int64(clamping: state.lastPrompt)))
        try setState(StateName.restored, .integer(1))
    }

    /// Writes a change, within a transaction.
    func apply(_ change: StoredChange, atMicroseconds time: Int64) throws(StorageError) {
        switch change {
        case .grant(let app, let grant): try write(grant, of: app)
        case .wasAskedAlways(let app):
            let asked = try Statement(
                self, "UPDATE grants SET wasAskedAlways = 1 WHERE app = ? AND uid = ?", as: "write a grant")
            try asked.run([.text(app.name), .integer(Int64(app.uid))])
            if changes == 0 { try write(Grant(wasAskedAlways: true), of: app) }
        case .prompt(let prompt): try write(prompt, atMicroseconds: time)
        case .promptEnded(let id): try removePrompts(where: "id = ?", [.integer(Int64(clamping: id))])
        case .services(let isOn): try setState(StateName.services, .integer(isOn ? 1 : 0))
        case .value(let name, let value?): try setState(StateName.value + name, .text(value))
        case .value(let name, nil):
            try Statement(self, "DELETE FROM state WHERE name = ?", as: "forget a value")
                .run([.text(StateName.value + name)])
        case .account(let uid, let account): try write(account, of: uid)
        case .audiencesForgotten(let uid): try forgetAudiences(of: uid)
        }
    }

    private func setState(_ name: String, _ value: SQLValue) throws(StorageError) {
        try Statement(self, "INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)", as: "write a value")
            .run([.text(name), value])
    }

    private func write(_ grant: Grant, of app: AppID) throws(StorageError) {
        let key: [SQLValue] = [.text(app.name), .integer(Int64(app.uid))]
        if grant == Grant() {
            try Statement(self, "DELETE FROM grants WHERE app = ? AND uid = ?", as: "forget a grant").run(key)
            return
        }
        let (decider, uid) = grant.decidedBy.map(StoredDecider.parts) ?? (nil, nil)
        try Statement(
            self,
            """
            INSERT OR REPLACE INTO grants
            (app, uid, permission, accuracy, wasAskedAlways, decidedAt, decidedBy, decidedByUID, binding)
            VALUES (?,?,?,?,?,?,?,?,?)
            """, as: "write a grant"
        ).run(
            key + [
                .text(grant.permission.rawValue), .text(grant.accuracy.rawValue),
                .integer(grant.wasAskedAlways ? 1 : 0), SQLValue(grant.decidedAt?.microseconds),
                SQLValue(decider?.rawValue), SQLValue(uid.map { Int64($0) }), SQLValue(grant.binding),
            ])
    }

    private func write(_ prompt: Prompt, atMicroseconds time: Int64) throws(StorageError) {
        let id = SQLValue.integer(Int64(clamping: prompt.id))
        let isTracking = prompt.kind.subject == .tracking
        try removePrompts(
            where: "id = ? OR (app = ? AND uid = ? AND (kind = '\(PromptKind.tracking.rawValue)') = ?)",
            [id, .text(prompt.app.name), .integer(Int64(prompt.app.uid)), .integer(isTracking ? 1 : 0)])
        let (kind, key) = (prompt.kind.word, prompt.kind.purposeKey)
        let operation = "write a prompt"
        try Statement(
            self,
            """
            INSERT INTO prompts (id, app, uid, kind, purposeKey, proposesFullAccuracy, raisedAt) VALUES (?,?,?,?,?,?,?)
            """, as: operation
        ).run([
            id, .text(prompt.app.name), .integer(Int64(prompt.app.uid)), .text(kind.rawValue), SQLValue(key),
            .integer(prompt.proposesFullAccuracy ? 1 : 0), .integer(time),
        ])
        let insertion = try Statement(
            self, "INSERT INTO promptTexts (prompt, field, locale, text) VALUES (?,?,?,?)", as: operation)
        for (field, text) in [(PromptField.name, prompt.name), (.purpose, prompt.purpose)] {
            try insertion.run([id, .text(field.rawValue), .text(""), .text(text.text)])
            for (locale, translation) in text.translations where !locale.isEmpty {
                try insertion.run([id, .text(field.rawValue), .text(locale), .text(translation)])
            }
        }
        try Statement(
            self,
            """
            INSERT INTO state (name, value) VALUES ('\(StateName.lastPrompt)', ?)
            ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)
            """, as: operation
        ).run([id])
    }

    private func removePrompts(where condition: String, _ values: [SQLValue]) throws(StorageError) {
        let prompts = "FROM prompts WHERE \(condition)"
        try Statement(self, "DELETE FROM promptTexts WHERE prompt IN (SELECT id \(prompts))", as: "end a prompt")
            .run(values)
        try Statement(self, "DELETE \(prompts)", as: "end a prompt").run(values)
    }

    /// Everything that is stored, without invalid rows, which the loss describes.
    func readAuthorization() throws(StorageError) -> LoadedAuthorization {
        var loaded = LoadedAuthorization()
        var findings: [String] = []
        try readGrants(into: &loaded.state, &findings)
        try readPrompts(into: &loaded.state, &findings)
        try readState(into: &loaded.state, &findings)
        try readAccounts(into: &loaded.state, &findings)
        if let first = findings.first {
            let more = findings.count > 1 ? ", and \(findings.count - 1) more" : ""
            loaded.loss = StorageError("read authorization (\(path))", .unreadable, first + more)
        }
        return loaded
    }

    /// Reads the grants row by row; invalid rows are reported in `findings`.
    func readGrants(
        into state: inout StoredAuthorization, _ findings: inout [String]
    ) throws(StorageError) {
        try Statement(
            self,
            """
            SELECT app, uid, permission, accuracy, wasAskedAlways, decidedAt, decidedBy, decidedByUID, binding
            FROM grants
            """, as: "read the grants"
        ).run { row in
            if let app = AppID(row), let grant = Grant(row) {
                state.grants[app] = grant
            } else {
                findings.append("the grant of \(row.text(0)) of uid \(row.text(1)) makes no sense")
            }
            return true
        }
    }

    /// Reads the prompts; invalid rows are reported in `findings`.
    func readPrompts(
        into state: inout StoredAuthorization, _ findings: inout [String]
    ) throws(StorageError) {
        let texts = try Statement(
            self, "SELECT field, locale, text FROM promptTexts WHERE prompt = ?", as: "read the prompts")
        try Statement(
            self,
            """
            SELECT app, uid, id, kind, purposeKey, proposesFullAccuracy,
                CASE WHEN typeof(raisedAt) = 'integer' AND raisedAt BETWEEN 0 AND 253402300799999999 THEN raisedAt END
            FROM prompts ORDER BY id
            """, as: "read the prompts"
        ).run { row throws(StorageError) in
            var read: [PromptField: String] = [:]
            var translations: [PromptField: [String: String]] = [:]
            try texts.run([.integer(row.integer(2))]) { row in
                guard let field = PromptField(rawValue: row.text(0)) else { return true }
                let locale = row.text(1)
                if locale.isEmpty {
                    read[field] = row.text(2)
                } else {
                    translations[field, default: [:]][locale] = row.text(2)
                }
                return true
            }
            // A field with translations only has an empty text.
            for field in translations.keys where read[field] == nil { read[field] = "" }
            let whole = read.reduce(into: [PromptField: LocalizedText]()) { whole, text in
                whole[text.key] = LocalizedText(text.value, translations: translations[text.key] ?? [:])
            }
            if let prompt = Prompt(row, texts: whole) {
                state.prompts.append(prompt)
                state.raisedAt[prompt.id] = row.optionalInteger(6).map { UTCTime(microseconds: $0) }
            } else {
                findings.append("prompt \(row.integer(2)) makes no sense")
            }
            return true
        }
    }

    /// Reads the single values; invalid ones are reported in `findings`.
    func readState(into state: inout StoredAuthorization, _ findings: inout [String]) throws(StorageError) {
        var lastPrompt: UInt64 = 0
        try Statement(self, "SELECT name, value, typeof(value) FROM state", as: "read the state").run { row in
            let name = row.text(0)
            let number = row.text(2) == "integer" ? UInt64(exactly: row.integer(1)) : nil
            switch (name, number) {
            case (StateName.services, 0): state.areServicesOn = false
            case (StateName.services, 1): state.areServicesOn = true
            case (StateName.lastPrompt, let number?): lastPrompt = number
            case (StateName.restored, 1): break
            default:
                if name.hasPrefix(StateName.value) {
                    state.values[String(name.dropFirst(StateName.value.count))] = row.text(1)
                } else {
                    findings.append("\(name) makes no sense")
                    // Services that were turned off must not be on after a damage.
                    if name == StateName.services { state.areServicesOn = false }
                }
            }
            return true
        }
        let highest = state.prompts.last?.id ?? 0
        if lastPrompt < highest { findings.append("prompt \(highest) exists, though \(lastPrompt) was the last") }
        state.lastPrompt = max(lastPrompt, highest)
    }

    /// Whether the pages of a table are intact. PRAGMA integrity_check.
    func isSound(table: String) throws(StorageError) -> Bool {
        var isSound = false
        try Statement(self, "PRAGMA integrity_check('\(table)')", as: "check \(table)").first { row in
            isSound = row.text(0) == "ok"
        }
        return isSound
    }
}
