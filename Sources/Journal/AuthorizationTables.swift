import Authorization
import Location

// What SQL there is for authorization: the tables of schema 2, and their rows as the values of `Authorization`.

extension Database {
    /// What a row of table `state` holds that is not a caller's value.
    private enum StateName {
        static let restored = "authorizationRestored"
        static let services = "areServicesOn"
        static let lastPrompt = "lastPrompt"
        /// Before the name of a caller's value.
        static let value = "value:"
    }

    /// Whether what was stored before this file was made has been brought into it.
    func isAuthorizationRestored() throws(JournalError) -> Bool {
        try integer(
            "SELECT value FROM state WHERE name = '\(StateName.restored)'", as: "read whether grants are restored") == 1
    }

    /// Writes all of it into a file that has nothing of it, within a transaction.
    func restore(_ state: StoredAuthorization, atMicroseconds time: Int64) throws(JournalError) {
        for (app, grant) in state.grants { try apply(.grant(app, grant), atMicroseconds: time) }
        for prompt in state.prompts { try apply(.prompt(prompt), atMicroseconds: time) }
        if !state.areServicesOn { try apply(.services(isOn: false), atMicroseconds: time) }
        for (name, value) in state.values { try apply(.value(name, value), atMicroseconds: time) }
        try setState(StateName.lastPrompt, .integer(Int64(clamping: state.lastPrompt)))
        try setState(StateName.restored, .integer(1))
    }

    /// Writes a change, within a transaction.
    func apply(_ change: StoredChange, atMicroseconds time: Int64) throws(JournalError) {
        switch change {
        case .grant(let app, let grant): try write(grant, of: app)
        case .prompt(let prompt): try write(prompt, atMicroseconds: time)
        case .promptEnded(let id): try removePrompt(id)
        case .services(let isOn): try setState(StateName.services, .integer(isOn ? 1 : 0))
        case .value(let name, let value?): try setState(StateName.value + name, .text(value))
        case .value(let name, nil):
            try Statement(self, "DELETE FROM state WHERE name = ?", as: "forget a value")
                .run([.text(StateName.value + name)])
        }
    }

    private func setState(_ name: String, _ value: SQLValue) throws(JournalError) {
        try Statement(self, "INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)", as: "write a value")
            .run([.text(name), value])
    }

    private func write(_ grant: Grant, of app: AppID) throws(JournalError) {
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

    private func write(_ prompt: Prompt, atMicroseconds time: Int64) throws(JournalError) {
        try removePrompt(prompt.id)
        let id = SQLValue.integer(Int64(clamping: prompt.id))
        let (kind, key) = StoredPromptKind.parts(prompt.kind)
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

    private func removePrompt(_ id: UInt64) throws(JournalError) {
        let values = [SQLValue.integer(Int64(clamping: id))]
        try Statement(self, "DELETE FROM promptTexts WHERE prompt = ?", as: "end a prompt").run(values)
        try Statement(self, "DELETE FROM prompts WHERE id = ?", as: "end a prompt").run(values)
    }

    /// Everything that is stored, without the rows that make no sense, of which the loss tells.
    func readAuthorization() throws(JournalError) -> LoadedAuthorization {
        var loaded = LoadedAuthorization()
        var unreadable = 0
        try readGrants { app, grant in
            loaded.state.grants[app] = grant
        } unreadable: {
            unreadable += 1
        }
        try readPrompts {
            loaded.state.prompts.append($0)
        } unreadable: {
            unreadable += 1
        }
        try readState(&loaded.state) { unreadable += 1 }
        loaded.state.lastPrompt = max(loaded.state.lastPrompt, loaded.state.prompts.map(\.id).max() ?? 0)
        if unreadable > 0 {
            loaded.loss = JournalError(
                "read the grants (\(path))", .unreadable(rows: unreadable), "\(unreadable) rows make no sense")
        }
        return loaded
    }

    /// Every grant, row by row.
    func readGrants(
        _ body: (AppID, Grant) -> Void, unreadable: () -> Void
    ) throws(JournalError) {
        try Statement(
            self,
            """
            SELECT app, uid, permission, accuracy, wasAskedAlways, decidedAt, decidedBy, decidedByUID, binding
            FROM grants
            """, as: "read the grants"
        ).run { row in
            if let app = AppID(row), let grant = Grant(row) { body(app, grant) } else { unreadable() }
            return true
        }
    }

    private func readPrompts(_ body: (Prompt) -> Void, unreadable: () -> Void) throws(JournalError) {
        let texts = try Statement(
            self, "SELECT field, locale, text FROM promptTexts WHERE prompt = ?", as: "read the prompts")
        try Statement(
            self, "SELECT app, uid, id, kind, purposeKey, proposesFullAccuracy FROM prompts ORDER BY id",
            as: "read the prompts"
        ).run { row throws(JournalError) in
            var read: [PromptField: LocalizedText] = [:]
            try texts.run([.integer(row.integer(2))]) { row in
                guard let field = PromptField(rawValue: row.text(0)) else { return true }
                let locale = row.text(1)
                if locale.isEmpty {
                    read[field, default: LocalizedText("")].text = row.text(2)
                } else {
                    read[field, default: LocalizedText("")].translations[locale] = row.text(2)
                }
                return true
            }
            if let prompt = Prompt(row, texts: read) { body(prompt) } else { unreadable() }
            return true
        }
    }

    private func readState(_ state: inout StoredAuthorization, unreadable: () -> Void) throws(JournalError) {
        try Statement(self, "SELECT name, value, typeof(value) FROM state", as: "read the state").run { row in
            let name = row.text(0)
            let isInteger = row.text(2) == "integer"
            switch name {
            case StateName.services where isInteger && (0...1).contains(row.integer(1)):
                state.areServicesOn = row.integer(1) == 1
            case StateName.lastPrompt where isInteger && row.integer(1) >= 0:
                state.lastPrompt = UInt64(row.integer(1))
            case StateName.restored where isInteger: break
            case StateName.services:
                // Whoever turned them off must not find them on.
                state.areServicesOn = false
                unreadable()
            case StateName.lastPrompt, StateName.restored: unreadable()
            default:
                if name.hasPrefix(StateName.value) {
                    state.values[String(name.dropFirst(StateName.value.count))] = row.text(1)
                }
            }
            return true
        }
    }
}

/// `Grant.Decider` in two columns.
private enum StoredDecider: String {
    case person, `operator`, rule

    static func parts(_ decider: Grant.Decider) -> (StoredDecider?, UInt32?) {
        switch decider {
        case .person(let uid): (.person, uid)
        case .operator(let uid): (.operator, uid)
        case .rule: (.rule, nil)
        }
    }

    func decider(_ uid: UInt32?) -> Grant.Decider? {
        switch (self, uid) {
        case (.person, let uid?): .person(uid: uid)
        case (.operator, let uid?): .operator(uid: uid)
        case (.rule, nil): .rule
        default: nil
        }
    }
}

/// `Prompt.Kind` in two columns.
private enum StoredPromptKind: String {
    case whenInUse, always, changeToAlways, confirmAlways, temporaryFullAccuracy

    static func parts(_ kind: Prompt.Kind) -> (StoredPromptKind, String?) {
        switch kind {
        case .whenInUse: (.whenInUse, nil)
        case .always: (.always, nil)
        case .changeToAlways: (.changeToAlways, nil)
        case .confirmAlways: (.confirmAlways, nil)
        case .temporaryFullAccuracy(let key): (.temporaryFullAccuracy, key)
        }
    }

    func kind(_ key: String?) -> Prompt.Kind? {
        switch (self, key) {
        case (.whenInUse, nil): .whenInUse
        case (.always, nil): .always
        case (.changeToAlways, nil): .changeToAlways
        case (.confirmAlways, nil): .confirmAlways
        case (.temporaryFullAccuracy, let key?): .temporaryFullAccuracy(key: key)
        default: nil
        }
    }
}

/// Which text of a prompt a row of `promptTexts` has.
private enum PromptField: String {
    case name, purpose
}

extension AppID {
    /// Of the first two columns.
    fileprivate init?(_ row: borrowing Row) {
        guard !row.isNull(0), !row.isNull(1), let uid = UInt32(exactly: row.integer(1)) else { return nil }
        self.init(uid: uid, name: row.text(0))
    }
}

extension Grant {
    fileprivate init?(_ row: borrowing Row) {
        guard let permission = Permission(rawValue: row.text(2)),
            let accuracy = AccuracyAuthorization(rawValue: row.text(3)),
            !row.isNull(4), (0...1).contains(row.integer(4))
        else { return nil }
        self.init(
            permission: permission, accuracy: accuracy, wasAskedAlways: row.integer(4) == 1,
            decidedAt: row.optionalInteger(5).map { UTCTime(microseconds: $0) }, binding: row.optionalText(8))
        if row.isNull(6) { return }
        let uid = row.optionalInteger(7).flatMap { UInt32(exactly: $0) }
        guard let decider = StoredDecider(rawValue: row.text(6))?.decider(uid) else { return nil }
        decidedBy = decider
    }
}

extension Prompt {
    fileprivate init?(_ row: borrowing Row, texts: [PromptField: LocalizedText]) {
        guard let app = AppID(row), let id = UInt64(exactly: row.integer(2)), id > 0,
            let kind = StoredPromptKind(rawValue: row.text(3))?.kind(row.optionalText(4)), !row.isNull(5),
            (0...1).contains(row.integer(5)), let name = texts[.name], let purpose = texts[.purpose]
        else { return nil }
        self.init(
            id: id, app: app, kind: kind, name: name, purpose: purpose, assurance: nil,
            proposesFullAccuracy: row.integer(5) == 1)
    }
}
