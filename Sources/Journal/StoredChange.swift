import Authorization

/// A change of the stored authorization, made durable together with the events that report it.
public enum StoredChange: Equatable, Sendable {
    /// The new data stored for this app; an untouched `Grant()` removes the app.
    case grant(AppID, Grant)
    /// The person was asked about Always for this app; other data of the app is unchanged.
    case wasAskedAlways(AppID)
    /// This prompt is unanswered, and the only one of its app about its subject.
    case prompt(Prompt)
    /// The prompt has ended.
    case promptEnded(UInt64)
    /// Whether location services are on.
    case services(isOn: Bool)
    /// A single value of the daemon by name; nil removes it.
    case value(String, String?)
    /// The account to which the data of this user id belongs; nil removes it.
    case account(UInt32, StoredAccount?)
    /// The apps of this user id start with an empty history: only operators can read the events recorded until now.
    case audiencesForgotten(UInt32)

    /// The change that a record of the policy requires; nil if the record only reports.
    public init?(_ record: Policy.Record) {
        switch record.change {
        case .grant(let grant):
            guard let app = record.app else { return nil }
            self = .grant(app, grant)
        case .tracking(let grant):
            guard let app = record.app else { return nil }
            self = .value(StoredTracking.name(of: app), StoredTracking.text(of: grant))
        case .wasAskedAlways:
            guard let app = record.app else { return nil }
            self = .wasAskedAlways(app)
        case .prompt(let prompt): self = .prompt(prompt)
        case .promptEnded(let id): self = .promptEnded(id)
        case .services(let isOn): self = .services(isOn: isOn)
        case nil: return nil
        }
    }

    /// The size of the change for the limit of pending changes: the bytes of its texts and an allowance for the rest.
    var bytes: Int {
        let texts: [String?] =
            switch self {
            case .grant(let app, let grant): [app.name, grant.binding]
            case .prompt(let prompt):
                [prompt.app.name]
                    + [prompt.name, prompt.purpose].flatMap { text in
                        [text.text] + text.translations.flatMap { [$0.key, $0.value] }
                    }
            case .wasAskedAlways(let app): [app.name]
            case .promptEnded, .services, .audiencesForgotten: []
            case .account(_, let account): [account?.name, account?.otherName]
            case .value(let name, let value): [name, value]
            }
        return texts.reduce(128) { $0 + ($1?.utf8.count ?? 0) }
    }
}

extension Event {
    /// The event for a record of the policy.
    public init(_ record: Policy.Record) {
        var details = EventDetails()
        for (name, value) in record.details.sorted(by: { $0.key < $1.key }) { details.append(name, .text(value)) }
        self.init(record.kind, app: record.app?.name, uid: record.app?.uid, details: details)
    }
}
