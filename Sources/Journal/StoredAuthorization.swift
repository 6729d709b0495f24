import Authorization
import Location

/// What authorization has stored: what `Policy` is restored from.
public struct StoredAuthorization: Equatable, Sendable {
    /// What was decided, for every app of which anything is stored.
    public var grants: [AppID: Grant] = [:]
    /// The prompts that nobody has answered, in the order of their numbers; without their assurance, which a restart ends.
    public var prompts: [Prompt] = []
    /// When each of them was raised, by its number; one whose stored time is no time has none.
    public var raisedAt: [UInt64: UTCTime] = [:]
    /// The highest number that a prompt ever had.
    public var lastPrompt: UInt64 = 0
    /// Whether location services are on.
    public var areServicesOn = true
    /// To which accounts what is stored belongs, by user id.
    public var accounts: [UInt32: StoredAccount] = [:]
    /// The daemon's single values by name.
    public var values: [String: String] = [:]

    /// That nobody decided anything.
    public init() {}

    /// What it is after a change that came about at a time.
    mutating func apply(_ change: StoredChange, atMicroseconds time: Int64) {
        switch change {
        case .grant(let app, let grant): grants[app] = grant == Grant() ? nil : grant
        case .wasAskedAlways(let app): grants[app, default: Grant()].wasAskedAlways = true
        case .prompt(let prompt):
            removePrompts { $0.id == prompt.id || $0.app == prompt.app }
            let index = prompts.firstIndex { $0.id > prompt.id } ?? prompts.endIndex
            prompts.insert(prompt.afterRestart, at: index)
            raisedAt[prompt.id] = UTCTime(microseconds: time)
            lastPrompt = max(lastPrompt, prompt.id)
        case .promptEnded(let id): removePrompts { $0.id == id }
        case .services(let isOn): areServicesOn = isOn
        case .value(let name, let value): values[name] = value
        case .account(let uid, let account): accounts[uid] = account
        case .audiencesForgotten: break
        }
    }

    /// Forgets prompts, and when they were raised.
    mutating func removePrompts(where isOver: (Prompt) -> Bool) {
        for prompt in prompts where isOver(prompt) { raisedAt[prompt.id] = nil }
        prompts.removeAll(where: isOver)
    }
}

/// What was found of authorization when the journal was opened.
public struct LoadedAuthorization: Equatable, Sendable {
    /// What could be read. What could not is as if nobody had ever decided, which gives nothing to anybody.
    public var state: StoredAuthorization
    /// Why some or all of it could not be read; nil where it is all that was stored.
    public var loss: JournalError?

    /// What could be read, and why not more.
    public init(_ state: StoredAuthorization = StoredAuthorization(), loss: JournalError? = nil) {
        self.state = state
        self.loss = loss
    }
}

extension Prompt {
    /// How a prompt comes out of the journal: nothing is known of the process that asked.
    fileprivate var afterRestart: Prompt {
        Prompt(
            id: id, app: app, kind: kind, name: name, purpose: purpose, assurance: nil,
            proposesFullAccuracy: proposesFullAccuracy)
    }
}
