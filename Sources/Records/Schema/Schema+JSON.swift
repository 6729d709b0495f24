import JSONText

extension Schema {
    /// The schema as JSON: `types`, in the order of names.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.array("types") { writer in
                for type in types.values.sorted(by: { $0.name < $1.name }) { type.write(to: &writer) }
            }
        }
        return writer.bytes
    }

    /// Reads a schema that a person may have written: a member that is not known is an error, and so are a type or a field
    /// that is there twice, and more types or fields than the limits permit.
    public init(json: [UInt8], limits: Limits = Limits()) throws(FormatError) {
        let node = try Node(request: json, most: Self.mostBytes)
        try node.permit(["types"])
        self.init()
        let all = try node.member("types").elements()
        guard all.count <= limits.types else { throw node.error(.tooLarge(.types)) }
        for node in all {
            let type = try TypeDefinition(node, limits)
            guard types.updateValue(type, forKey: type.name) == nil else { throw node.error(.invalidName) }
        }
    }

    /// The most bytes of a schema as JSON.
    static let mostBytes = 8 << 20
}

extension TypeDefinition {
    /// The definition as JSON.
    public var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Reads a definition that the hub has stored.
    public init(json: [UInt8]) throws(FormatError) { try self.init(Node(written: json), Limits()) }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name.text)
            writer.array("fields") { writer in
                for (field, definition) in fields.sorted(by: { $0.key < $1.key }) {
                    writer.object { writer in
                        writer.member("name", field.text)
                        writer.member("kind", definition.shape.kind.rawValue)
                        if definition.shape.isList { writer.member("list", true) }
                        if definition.shape.isEncrypted { writer.member("encrypted", true) }
                        guard !definition.indexes.isEmpty else { return }
                        writer.member("indexes", definition.indexes.sorted().map(\.rawValue))
                    }
                }
            }
            guard roles != RecordRoles() else { return }
            writer.object("roles") { writer in
                writer.member("world", roles.world.words)
                writer.member("authenticated", roles.authenticated.words)
                writer.member("creator", roles.creator.words)
            }
        }
    }

    fileprivate init(_ node: Node, _ limits: Limits) throws(FormatError) {
        try node.permit(["name", "fields", "roles"])
        self.init(try node.member("name").name())
        let all = try node.member("fields").elements()
        guard all.count <= limits.fields else { throw node.error(.tooLarge(.fields)) }
        for node in all {
            try node.permit(["name", "kind", "list", "encrypted", "indexes"])
            let shape = try FieldDefinition.Shape(node)
            let indexes = try node.optional("indexes")?.map { (node) throws(FormatError) -> FieldIndex in
                try node.word()
            }
            // The hub cannot compare what it cannot read.
            if shape.isEncrypted, indexes?.isEmpty == false { throw node.error(.encryptedIndex) }
            let field = try node.member("name").anyField()
            if let system = field.systemField,
                shape != FieldDefinition.Shape(system.kind) || indexes?.contains(where: { $0 != .sortable }) == true
            {
                throw node.error(.wrongKind)
            }
            let definition = FieldDefinition(shape, indexes: Set(indexes ?? []))
            guard fields.updateValue(definition, forKey: field) == nil else { throw node.error(.invalidName) }
        }
        guard let node = try node.optional("roles") else { return }
        try node.permit(["world", "authenticated", "creator"])
        func rights(_ name: String) throws(FormatError) -> RecordRoles.Rights {
            var rights: RecordRoles.Rights = []
            for node in try node.member(name).elements() {
                guard let right = RecordRoles.Rights(word: try node.string()) else { throw node.error(.invalidName) }
                rights.formUnion(right)
            }
            return rights
        }
        roles = RecordRoles(
            world: try rights("world"), authenticated: try rights("authenticated"), creator: try rights("creator"))
    }
}

extension Node {
    /// Throws for a member that is not one of these.
    func permit(_ names: Set<String>) throws(FormatError) {
        for member in try members() where !names.contains(member.name) { throw member.node.error(.unknownMember) }
    }
}

extension FieldDefinition.Shape {
    /// Reads the members `kind`, `list` and `encrypted`.
    fileprivate init(_ node: Node) throws(FormatError) {
        self.init(
            try node.member("kind").word(), isList: try node.optional("list")?.bool() ?? false,
            isEncrypted: try node.optional("encrypted")?.bool() ?? false)
        if isEncrypted, !EncryptedValue.accepts(FieldDefinition.Shape(kind)) { throw node.error(.wrongKind) }
    }
}

extension SchemaViolation {
    /// Writes the members of a refusal: `error`, the type, and what belongs to it.
    func writeMembers(to writer: inout JSONWriter) {
        let (error, type, field): (String, RecordType, FieldName?) =
            switch self {
            case .unknownType(let type): ("notInSchema", type, nil)
            case .unknownField(let type, let field), .otherShape(let type, let field, _): ("notInSchema", type, field)
            case .indexMissing(let type, let field, _): ("indexMissing", type, field)
            case .notSearchable(let type): ("indexMissing", type, nil)
            }
        writer.member("error", error)
        writer.member("type", type.text)
        writer.member("field", field?.text)
        switch self {
        case .otherShape(_, _, let shape):
            writer.member("kind", shape.kind.rawValue)
            if shape.isList { writer.member("list", true) }
            if shape.isEncrypted { writer.member("encrypted", true) }
        case .indexMissing(_, _, let index): writer.member("index", index.rawValue)
        case .notSearchable: writer.member("index", FieldIndex.searchable.rawValue)
        case .unknownType, .unknownField: break
        }
    }

    /// Reads a refusal; nil for another one.
    init?(_ node: Node) throws(FormatError) {
        let error = try node.member("error").string()
        guard error == "notInSchema" || error == "indexMissing" else { return nil }
        let type: RecordType = try node.member("type").name()
        guard
            let field = try node.optional("field").map({ (node) throws(FormatError) -> FieldName in try node.anyField()
            })
        else {
            self = error == "indexMissing" ? .notSearchable(type) : .unknownType(type)
            return
        }
        if error == "indexMissing" {
            self = .indexMissing(type, field, try node.member("index").word())
        } else if try node.optional("kind") != nil {
            self = .otherShape(type, field, try FieldDefinition.Shape(node))
        } else {
            self = .unknownField(type, field)
        }
    }
}
