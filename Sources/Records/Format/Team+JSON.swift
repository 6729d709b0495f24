import JSONText

extension Team {
    /// The team as JSON: its members, the agent first.
    public var json: [UInt8] {
        JSONWriter.list("members", list) { member, writer in
            writer.member("account", member.account.text)
            writer.member("rights", member.rights.sorted().map(\.rawValue))
            if member.isAgent { writer.member("agent", true) }
        }
    }
}

extension TeamChange {
    /// What an account is to be in a team, as the body of a request; empty for its removal.
    public var json: [UInt8] {
        var writer = JSONWriter()
        switch self {
        case .remove: return []
        case .makeAgent: writer.object { $0.member("agent", true) }
        case .put(_, let rights): writer.object { $0.member("rights", rights.sorted().map(\.rawValue)) }
        }
        return writer.bytes
    }

    /// Reads what an account is to be in a team: `rights`, or `agent`.
    public init(of account: AccountID, json: [UInt8], limits: Limits = Limits()) throws(FormatError) {
        let node = try Node(request: json, most: limits.requestBytes)
        try node.permit(["rights", "agent"])
        if try node.optional("agent")?.bool() == true {
            guard try node.optional("rights") == nil else { throw FormatError("rights", .unknownMember) }
            self = .makeAgent(account)
            return
        }
        let rights = try node.member("rights").map { (node) throws(FormatError) -> TeamRight in try node.word() }
        self = .put(account, Set(rights))
    }
}

extension [SchemaDifference] {
    /// What a schema lacks, or what has changed, as JSON.
    public var json: [UInt8] {
        JSONWriter.list("differences", self) { difference, writer in
            writer.member("text", difference.description)
            writer.member("addition", difference.isAddition)
        }
    }
}
