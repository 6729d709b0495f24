import Authorization

/// A change of what authorization has stored, made durable with the events that tell of it.
public enum StoredChange: Equatable, Sendable {
    /// What is stored of this app is this; an untouched `Grant()` forgets the app.
    case grant(AppID, Grant)
    /// The person was asked about Always for this app; what else is stored of it stays.
    case wasAskedAlways(AppID)
    /// This prompt is unanswered, and no other of its app.
    case prompt(Prompt)
    /// That prompt is no more.
    case promptEnded(UInt64)
    /// Whether location services are on.
    case services(isOn: Bool)
    /// A single value of the daemon's by name; nil forgets it.
    case value(String, String?)
    /// What is stored of this user id belongs to this account; nil forgets to which.
    case account(UInt32, StoredAccount?)
    /// The apps of this user id begin anew with their events: what is recorded of them until now is for operators only.
    case audiencesForgotten(UInt32)

    /// What a record of the policy wants stored, nil where it only tells.
    public init?(_ record: Policy.Record) {
        switch record.change {
        case .grant(let grant):
            guard let app = record.app else { return nil }
            self = .grant(app, grant)
        case .wasAskedAlways:
            guard let app = record.app else { return nil }
            self = .wasAskedAlways(app)
        case .prompt(let prompt): self = .prompt(prompt)
        case .promptEnded(let id): self = .promptEnded(id)
        case .services(let isOn): self = .services(isOn: isOn)
        case nil: return nil
        }
    }

    /// The bytes of its texts, and something for the rest: what it counts for in the bound of what waits.
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
    /// What a record of the policy tells.
    public init(_ record: Policy.Record) {
        var details = EventDetails()
        for (name, value) in record.details.sorted(by: { $0.key < $1.key }) { details.append(name, .text(value)) }
        self.init(EventKind(record.kind), app: record.app?.name, uid: record.app?.uid, details: details)
    }
}

extension EventKind {
    /// The kind of a record of the policy.
    public init(_ kind: Policy.Record.Kind) {
        self =
            switch kind {
            case .authorizationRequested: .authorizationRequested
            case .authorizationAnswered: .authorizationAnswered
            case .authorizationChanged: .authorizationChanged
            case .authorizationReset: .authorizationReset
            case .servicesOn: .servicesOn
            case .servicesOff: .servicesOff
            case .restrictionsChanged: .restrictionsChanged
            case .appAttached: .appAttached
            case .appInUse: .appInUse
            case .appLeftUse: .appLeftUse
            case .appDetached: .appDetached
            case .holdBegan: .holdBegan
            case .holdEnded: .holdEnded
            case .stateRestored: .stateRestored
            }
    }
}
