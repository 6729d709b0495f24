import JSONText

extension Refusal {
    /// Writes the members of a refusal: `error`, and what belongs to it.
    func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .limitExceeded(let subject, let most):
            writer.member("error", "limitExceeded")
            writer.member("limit", subject.rawValue)
            writer.member("most", most)
        case .invalidRequest(let contradiction):
            writer.member("error", "invalidRequest")
            writer.member("reason", contradiction.rawValue)
        case .notAuthenticated: writer.member("error", "notAuthenticated")
        case .notPermitted: writer.member("error", "notPermitted")
        case .unknownItem: writer.member("error", "unknownItem")
        case .zoneNotFound(let reason):
            writer.member("error", reason == .purged ? "userDeletedZone" : "zoneNotFound")
            writer.member("reason", reason?.rawValue)
        case .changeTokenExpired(let problem):
            writer.member("error", "changeTokenExpired")
            writer.member("reason", problem.rawValue)
        case .notInSchema(let violation): violation.writeMembers(to: &writer)
        case .requestKeyReused: writer.member("error", "requestKeyReused")
        }
    }

    /// Reads a refusal; throws for any other object.
    init(_ node: Node) throws(FormatError) {
        let error = try node.member("error")
        switch try error.string() {
        case "limitExceeded": self = .limitExceeded(try node.member("limit").word(), most: try node.most())
        case "invalidRequest": self = .invalidRequest(try node.member("reason").word())
        case "notAuthenticated": self = .notAuthenticated
        case "notPermitted": self = .notPermitted
        case "unknownItem": self = .unknownItem
        case "zoneNotFound", "userDeletedZone":
            self = .zoneNotFound(
                try node.optional("reason").map { (node) throws(FormatError) in try node.word() })
        case "changeTokenExpired": self = .changeTokenExpired(try node.member("reason").word())
        case "requestKeyReused": self = .requestKeyReused
        default:
            guard let violation = try SchemaViolation(node) else { throw error.error(.invalidName) }
            self = .notInSchema(violation)
        }
    }
}

extension Refusal {
    /// The refusal as JSON, perhaps with a sentence for a person.
    public func json(message: String? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writeMembers(to: &writer)
            writer.member("message", message)
        }
        return writer.bytes
    }

    /// Reads a refusal of a hub.
    public init(json: [UInt8]) throws(FormatError) {
        self = try Refusal(Node(written: json))
    }
}

extension Node {
    fileprivate func most() throws(FormatError) -> Int { Int(clamping: try member("most").integer()) }
}

extension RecordOutcome {
    /// The outcome as JSON.
    public var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .saved(let saved): writer.object("saved") { saved.writeMembers(to: &$0) }
            case .deleted: writer.member("deleted", true)
            case .conflict(let conflict):
                writer.member("error", "serverRecordChanged")
                writer.member("serverChangeTag", conflict.serverChangeTag.text)
                for (key, record) in [("server", conflict.server), ("ancestor", conflict.ancestor)] {
                    guard let record else { continue }
                    writer.key(key)
                    record.write(to: &writer)
                }
            case .unknownItem: writer.member("error", "unknownItem")
            case .batchRequestFailed(let culprit):
                writer.member("error", "batchRequestFailed")
                writer.member("culprit", culprit.text)
            case .typeDiffers(let type):
                writer.member("error", "typeDiffers")
                writer.member("type", type.text)
            case .limitExceeded(let subject, let most):
                Refusal.limitExceeded(subject, most: most).writeMembers(to: &writer)
            case .notInSchema(let violation): violation.writeMembers(to: &writer)
            case .notPermitted: Refusal.notPermitted.writeMembers(to: &writer)
            case .assetNotFound(let digest):
                writer.member("error", "assetNotFound")
                writer.member("digest", HexText.text(digest))
            }
        }
    }

    /// Reads an outcome of a hub.
    public init(json: [UInt8]) throws(FormatError) { try self.init(Node(written: json)) }

    init(_ node: Node) throws(FormatError) {
        if let saved = try node.optional("saved") {
            self = .saved(try SavedRecord(saved))
        } else if try node.optional("deleted")?.bool() == true {
            self = .deleted
        } else {
            self = try Self(error: node)
        }
    }

    private init(error node: Node) throws(FormatError) {
        let error = try node.member("error")
        switch try error.string() {
        case "serverRecordChanged":
            func record(_ name: String) throws(FormatError) -> Record? {
                try node.optional(name).map { (node) throws(FormatError) in try Record(node) }
            }
            self = .conflict(
                Conflict(
                    serverChangeTag: try node.member("serverChangeTag").changeTag(), server: try record("server"),
                    ancestor: try record("ancestor")))
        case "unknownItem": self = .unknownItem
        case "batchRequestFailed": self = .batchRequestFailed(culprit: try node.member("culprit").name())
        case "typeDiffers": self = .typeDiffers(try node.member("type").name())
        case "limitExceeded": self = .limitExceeded(try node.member("limit").word(), most: try node.most())
        case "notPermitted": self = .notPermitted
        case "assetNotFound": self = .assetNotFound(try node.member("digest").digest())
        default:
            guard let violation = try SchemaViolation(node) else { throw error.error(.invalidName) }
            self = .notInSchema(violation)
        }
    }
}

extension ModifyRecordsAnswer: StorableAnswer {
    /// The answer as JSON: `outcomes`, or `error` for the whole request.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            switch self {
            case .outcomes(let outcomes):
                writer.array("outcomes") { writer in outcomes.forEach { $0.write(to: &writer) } }
            case .refused(let refusal): refusal.writeMembers(to: &writer)
            }
        }
        return writer.bytes
    }

    /// Reads an answer of a hub.
    public init(json: [UInt8]) throws(FormatError) {
        let node = try Node(written: json)
        if let outcomes = try node.optional("outcomes") {
            self = .outcomes(try outcomes.map { (node) throws(FormatError) in try RecordOutcome(node) })
        } else {
            self = .refused(try Refusal(node))
        }
    }
}

extension ModifySharingAnswer: StorableAnswer {
    /// The answer as JSON: `done`, or `error`.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            switch self {
            case .done: writer.member("done", true)
            case .refused(let refusal): refusal.writeMembers(to: &writer)
            }
        }
        return writer.bytes
    }

    /// Reads an answer of a hub.
    public init(json: [UInt8]) throws(FormatError) {
        let node = try Node(written: json)
        self = try node.optional("done")?.bool() == true ? .done : .refused(try Refusal(node))
    }
}

extension ModifyZonesAnswer: StorableAnswer {
    /// The answer as JSON: `outcomes`, or `error` for the whole request.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            switch self {
            case .outcomes(let outcomes): writer.member("outcomes", outcomes.map(\.rawValue))
            case .refused(let refusal): refusal.writeMembers(to: &writer)
            }
        }
        return writer.bytes
    }

    /// Reads an answer of a hub.
    public init(json: [UInt8]) throws(FormatError) {
        let node = try Node(written: json)
        if let outcomes = try node.optional("outcomes") {
            self = .outcomes(try outcomes.map { (node) throws(FormatError) in try node.word() })
        } else {
            self = .refused(try Refusal(node))
        }
    }
}
