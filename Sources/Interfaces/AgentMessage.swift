import Location

/// A message to an agent: one reply of `io.waymark.Agent.Register`.
public enum AgentMessage: Equatable, Sendable {
    /// A background activity session of one of the user's apps.
    public typealias Hold = AgentInterface.Hold

    /// The agent is registered.
    case registered
    /// A prompt to show to the person.
    case prompt(Question)
    /// The prompt of this number was answered, or no longer exists.
    case withdrawn(Int64)
    /// All current background activity sessions.
    case holds([Hold])

    /// The message of a reply.
    public init(_ reply: AgentInterface.Register.Reply) {
        if let prompt = reply.prompt {
            self = .prompt(Question(prompt))
        } else if let id = reply.withdrawn {
            self = .withdrawn(id)
        } else if let holds = reply.holds {
            self = .holds(holds)
        } else {
            self = .registered
        }
    }

    /// The reply.
    public var reply: AgentInterface.Register.Reply {
        switch self {
        case .registered: .init()
        case .prompt(let question): .init(prompt: question.prompt)
        case .withdrawn(let id): .init(withdrawn: id)
        case .holds(let holds): .init(holds: holds)
        }
    }
}

extension AgentInterface.Hold {
    /// A session of an app of this name.
    public init(app: String, name: TranslatedText) {
        self.init(app: app, name: name.text, names: name.translationMap)
    }

    /// The app's name for a person.
    public var appName: TranslatedText { TranslatedText(name, translations: names) }
}
