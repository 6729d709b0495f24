import JSONText

extension ModifyZones {
    /// The body of the request, JSON. The database is not in it.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("save", saves.map(\.text))
            writer.member("delete", deletions.map(\.text))
            writer.member("reason", reason.rawValue)
        }
        return writer.bytes
    }

    /// Reads the body of a request about the private database of an account. Members that are missing have their defaults.
    public init(
        _ container: Container, of owner: AccountID, json: [UInt8], limits: Limits = Limits()
    ) throws(FormatError) {
        let body = try Node(request: json, most: limits.requestBytes)
        func names(_ member: String) throws(FormatError) -> [ZoneName] {
            guard let names = try body.optional(member) else { return [] }
            return try names.map { (node) throws(FormatError) in try node.name() }
        }
        let reason: ZoneDeletionReason? = try body.optional("reason").map { (node) throws(FormatError) in
            try node.word()
        }
        self.init(
            container, of: owner, saves: try names("save"), deletions: try names("delete"), reason: reason ?? .deleted)
    }

    /// Bytes that no other request has.
    var fingerprint: [UInt8] { "zones ".utf8 + DatabaseID(container, .privately(owner)).context + json }
}

extension ModifySharing {
    /// The body of the request, JSON. The zone is not in it.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            switch action {
            case .invite(let account, let permission):
                writer.member("invite", account.text)
                writer.member("permission", permission.rawValue)
            case .withdraw(let account): writer.member("withdraw", account.text)
            case .accept: writer.member("accept", true)
            case .leave: writer.member("leave", true)
            }
            writer.member("record", root?.text)
        }
        return writer.bytes
    }

    /// Reads the body of a request about a zone, which has one action.
    public init(_ zone: ZoneID, json: [UInt8], limits: Limits = Limits()) throws(FormatError) {
        let body = try Node(request: json, most: limits.requestBytes)
        var actions: [Action] = []
        if let account = try body.optional("invite") {
            actions.append(.invite(try account.name(), try body.member("permission").word()))
        }
        if let account = try body.optional("withdraw") { actions.append(.withdraw(try account.name())) }
        if try body.optional("accept")?.bool() == true { actions.append(.accept) }
        if try body.optional("leave")?.bool() == true { actions.append(.leave) }
        guard let action = actions.first else { throw body.error(.missing) }
        guard actions.count == 1 else { throw body.error(.wrongKind) }
        self.init(zone, action, of: try body.optional("record").map { (node) throws(FormatError) in try node.name() })
    }

    /// Bytes that no other request has.
    var fingerprint: [UInt8] { "sharing ".utf8 + zone.context + json }
}
