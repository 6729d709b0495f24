import JSONText
import Location
import Varlink

/// What an agent is told: one reply of `io.waymark.Agent.Register`.
public enum AgentMessage: Equatable, Sendable {
    /// A background activity session of one of the user's apps: the `Hold` of `io.waymark.Agent`.
    public struct Hold: Equatable, Sendable {
        /// The name of the app's manifest without `.app`.
        public var app: String
        /// The app's name for a person.
        public var name: TranslatedText

        /// A session of this app.
        public init(app: String, name: TranslatedText) {
            self.app = app
            self.name = name
        }
    }

    /// The agent is registered.
    case registered
    /// This is to be asked.
    case prompt(Question)
    /// The question of this number is answered or no more.
    case withdrawn(Int64)
    /// The background activity sessions there are now.
    case holds([Hold])

    /// Reads a reply's parameters; nil where this version does not understand them.
    public init?(_ json: JSON) {
        if let prompt = json["prompt"], !prompt.isNull {
            guard let question = Question(prompt) else { return nil }
            self = .prompt(question)
        } else if let withdrawn = json["withdrawn"], !withdrawn.isNull {
            guard let id = withdrawn.integerValue else { return nil }
            self = .withdrawn(id)
        } else if let holds = json["holds"], !holds.isNull {
            guard let values = holds.arrayValue else { return nil }
            self = .holds(values.compactMap(Hold.init))
        } else {
            self = .registered
        }
    }

    /// The members of the reply.
    public func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .registered: break
        case .prompt(let question):
            writer.key("prompt")
            question.write(to: &writer)
        case .withdrawn(let id): writer.member("withdrawn", id)
        case .holds(let holds): writer.array("holds") { writer in holds.forEach { $0.write(to: &writer) } }
        }
    }
}

extension AgentMessage.Hold {
    init?(_ json: JSON) {
        guard let app = json["app"]?.stringValue, let name = TranslatedText(json, "name", translations: "names")
        else { return nil }
        self.init(app: app, name: name)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("app", app)
            name.write("name", translations: "names", to: &writer)
        }
    }
}
