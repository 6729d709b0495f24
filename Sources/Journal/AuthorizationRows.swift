import Authorization
import Location
import Storage

// The values of `Authorization` as columns of the journal's tables. A column that holds anything this release never
// writes yields no value.

/// `Grant.Decider` in two columns.
enum StoredDecider: String {
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

/// The kind of text in a row of `promptTexts`.
enum PromptField: String {
    case name, purpose
}

extension AppID {
    /// The app in the first two columns.
    init?(_ row: borrowing Row) {
        guard !row.isNull(0), !row.isNull(1), let uid = UInt32(exactly: row.integer(1)) else { return nil }
        self.init(uid: uid, name: row.text(0))
    }
}

extension Grant {
    init?(_ row: borrowing Row) {
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
    init?(_ row: borrowing Row, texts: [PromptField: LocalizedText]) {
        guard let app = AppID(row), let id = UInt64(exactly: row.integer(2)), id > 0,
            let word = PromptKind(rawValue: row.text(3)), let kind = Prompt.Kind(word, key: row.optionalText(4)),
            !row.isNull(5),
            (0...1).contains(row.integer(5)), let name = texts[.name], let purpose = texts[.purpose]
        else { return nil }
        self.init(
            id: id, app: app, kind: kind, name: name, purpose: purpose, assurance: nil,
            proposesFullAccuracy: row.integer(5) == 1)
    }
}
