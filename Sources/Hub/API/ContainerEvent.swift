import Records

/// What the log says about the team and the schema of a container: who has changed what, and who was refused. It has names of
/// accounts, containers, types and fields, and nothing of a record.
enum ContainerEvent: Equatable, Sendable {
    /// A team was changed.
    case teamChanged(ContainerName, TeamChange, by: TeamActor)
    /// The schema of development was replaced.
    case schemaReplaced(ContainerName, [SchemaDifference], by: TeamActor)
    /// The schema of development was deployed to production.
    case schemaDeployed(ContainerName, [SchemaDifference], by: TeamActor)
    /// Somebody was refused something.
    case refused(TeamActor, TeamRefusal, ContainerName)
    /// A save would have changed the schema of development, and was refused.
    case saveRefused(AccountID, ContainerName)

    /// Whether indexes may have to be filled.
    var hasChangedSchema: Bool {
        switch self {
        case .schemaReplaced, .schemaDeployed: true
        case .teamChanged, .refused, .saveRefused: false
        }
    }

    /// Whether it is a refusal, of which clients can cause as many as they like.
    var isRefusal: Bool {
        switch self {
        case .refused, .saveRefused: true
        case .teamChanged, .schemaReplaced, .schemaDeployed: false
        }
    }

    /// The account that has caused it; nil for the administrator.
    var account: AccountID? {
        switch self {
        case .teamChanged(_, _, let actor), .schemaReplaced(_, _, let actor), .schemaDeployed(_, _, let actor),
            .refused(let actor, _, _):
            if case .account(let account) = actor { account } else { nil }
        case .saveRefused(let account, _): account
        }
    }

    /// The line of the log; nil where nothing has changed.
    var text: String? {
        switch self {
        case .teamChanged(let name, .put(let account, let rights), let actor):
            "\(actor) has put account \(account) into the team of \(name) with \(rights.phrase)"
        case .teamChanged(let name, .makeAgent(let account), let actor):
            "\(actor) has made account \(account) the agent of \(name)"
        case .teamChanged(let name, .remove(let account), let actor):
            "\(actor) has removed account \(account) from the team of \(name)"
        case .schemaReplaced(_, [], _), .schemaDeployed(_, [], _): nil
        case .schemaReplaced(let name, let differences, let actor):
            "\(actor) has replaced the schema of \(name) in development: \(differences.phrase)"
        case .schemaDeployed(let name, let differences, let actor):
            "the schema of \(name) was deployed to production by \(actor): \(differences.phrase)"
        case .refused(let actor, let refusal, let name):
            "\(actor) was refused a request about \(name): \(refusal.reason)"
        case .saveRefused(let account, let name):
            "account \(account) was refused a save in development of \(name), which needs another type or field:"
                + " \(TeamRefusal.lacks(.editDevelopment).reason)"
        }
    }
}

extension TeamActor: CustomStringConvertible {
    /// Who it is, for the log.
    public var description: String {
        switch self {
        case .administrator: "the administrator"
        case .account(let account): "account \(account)"
        }
    }
}

extension Set<TeamRight> {
    /// The rights for a person.
    fileprivate var phrase: String {
        isEmpty ? "no right" : "the rights \(sorted().map(\.rawValue).joined(separator: ", "))"
    }
}

extension [SchemaDifference] {
    fileprivate var phrase: String { map(\.description).joined(separator: ", ") }
}

extension TeamRefusal {
    /// The reason for the log.
    fileprivate var reason: String {
        switch self {
        case .notMember: "it is not in the team"
        case .lacks(let right): "it lacks the right \(right.rawValue)"
        case .agentOnly: "only the agent makes another account the agent"
        case .isAgent(let account): "account \(account) is the agent"
        case .unknownAccount: "there is no account of that name"
        case .unknownMember: "no such account is in the team"
        case .tooMany: "the team is full"
        }
    }

    /// The refusal for a person, with the next step.
    func message(in name: ContainerName) -> String {
        switch self {
        case .notMember:
            "The account is not in the team of \(name). The administrator of the hub can add it with `waymark-hub team add`, and"
                + " so can a member with the right manageTeam."
        case .lacks(let right):
            "This needs the right \(right.rawValue) in the team of \(name). A member with the right manageTeam can give it."
        case .agentOnly:
            "Only the agent of \(name), and the administrator of the hub, make another account the agent."
        case .isAgent(let account):
            "The account \(account) is the agent of \(name): it has all rights, and stays in the team. Make another account the"
                + " agent first."
        case .unknownAccount(let account):
            "The hub has no account \(account). Its first device joins with `waymark-hub invite`."
        case .unknownMember(let account): "The account \(account) is not in the team of \(name)."
        case .tooMany(let most): "A team has at most \(most) members. Remove one of them first."
        }
    }
}

extension HubError {
    init(_ refusal: TeamRefusal, in name: ContainerName) {
        let (status, word) =
            switch refusal {
            case .notMember, .lacks, .agentOnly, .isAgent: (403, "notPermitted")
            case .unknownAccount, .unknownMember: (404, "unknownItem")
            case .tooMany: (413, "limitExceeded")
            }
        self.init(status, word, refusal.message(in: name))
    }

    init(_ refusal: SchemaRefusal, in name: ContainerName) {
        switch refusal {
        case .notPermitted(let refusal): self.init(refusal, in: name)
        case .limitExceeded(let subject, let most):
            self.init(413, "limitExceeded", "A schema has at most \(most) \(subject.rawValue).")
        case .notAdditions(let differences):
            self.init(409, "schemaConflict", Self.conflict(differences))
        }
    }

    static func conflict(_ differences: [SchemaDifference]) -> String {
        "This would take something from apps that use production: \(differences.phrase). Nothing was changed."
    }
}
