import Authorization
import Location
import Storage

/// The stored authorization, from which `Policy` is restored.
public struct StoredAuthorization: Equatable, Sendable {
    /// The decisions for every app with stored data.
    public var grants: [AppID: Grant] = [:]
    /// The unanswered prompts in the order of their numbers; without their assurance, which a restart ends.
    public var prompts: [Prompt] = []
    /// When each prompt was raised, by its number; a prompt whose stored time is invalid has none.
    public var raisedAt: [UInt64: UTCTime] = [:]
    /// The highest number that a prompt ever had.
    public var lastPrompt: UInt64 = 0
    /// Whether location services are on.
    public var areServicesOn = true
    /// The accounts to which the stored data belongs, by user id.
    public var accounts: [UInt32: StoredAccount] = [:]
    /// The daemon's single values by name.
    public var values: [String: String] = [:]

    /// An authorization without any decision.
    public init() {}

    /// Applies a change that was made at a time.
    mutating func apply(_ change: StoredChange, atMicroseconds time: Int64) {
        switch change {
        case .grant(let app, let grant): grants[app] = grant == Grant() ? nil : grant
        case .wasAskedAlways(let app): grants[app, default: Grant()].wasAskedAlways = true
        case .prompt(let prompt):
            removePrompts {
                $0.id == prompt.id || $0.app == prompt.app && $0.kind.subject == prompt.kind.subject
            }
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

    /// Removes prompts and the times at which they were raised.
    mutating func removePrompts(where isOver: (Prompt) -> Bool) {
        for prompt in prompts where isOver(prompt) { raisedAt[prompt.id] = nil }
        prompts.removeAll(where: isOver)
    }
}

/// The authorization found when the journal was opened.
public struct LoadedAuthorization: Equatable, Sendable {
    /// The readable part. Everything else is treated as undecided, which grants nothing.
    public var state: StoredAuthorization
    /// The reason why some or all of it could not be read; nil if it is complete.
    public var loss: StorageError?

    /// The readable part, and the reason why it is incomplete.
    public init(_ state: StoredAuthorization = StoredAuthorization(), loss: StorageError? = nil) {
        self.state = state
        self.loss = loss
    }
}

extension Prompt {
    /// A prompt as it is read from the journal: nothing is known of the process that requested it.
    fileprivate var afterRestart: Prompt {
        Prompt(
            id: id, app: app, kind: kind, name: name, purpose: purpose, assurance: nil,
            proposesFullAccuracy: proposesFullAccuracy)
    }
}
