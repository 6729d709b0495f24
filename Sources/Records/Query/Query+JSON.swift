import JSONText

extension Query {
    /// The query as JSON.
    public var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("type", type.text)
            if let filter {
                writer.key("filter")
                filter.write(to: &writer)
            }
            guard !order.isEmpty else { return }
            writer.array("sort") { writer in
                for order in order {
                    writer.object { writer in
                        writer.member("field", order.field.text)
                        if let place = order.place {
                            writer.key("from")
                            FieldValue.location(place).write(to: &writer)
                        }
                        if order.isDescending { writer.member("descending", true) }
                    }
                }
            }
        }
    }

    /// The deepest nesting of a query's JSON: each level of conditions has an object and an array, a value in the last one an
    /// object, two lists and a place.
    static let jsonDepth = 2 * Limit.depth + 6

    /// Reads a query. Nesting, length and the number of conditions are limited before anything is made of them.
    public init(json: [UInt8]) throws(FormatError) {
        try self.init(Node(request: json, most: Limit.bytes, depth: Self.jsonDepth))
    }

    init(_ node: Node) throws(FormatError) {
        var conditions = 0
        let filter = try node.optional("filter").map { (node) throws(FormatError) in
            try Filter(node, depth: Limit.depth, &conditions)
        }
        let order = try node.optional("sort")?.map { (node) throws(FormatError) in
            try Order(node)
        }
        guard let query = Query(try node.member("type").name(), filter, order: order ?? []) else {
            throw node.error(.outOfRange)
        }
        self = query
    }
}

extension Query.Order {
    fileprivate init(_ node: Node) throws(FormatError) {
        let field = try node.member("field").anyField()
        let place = try node.optional("from").map { (node) throws(FormatError) -> StoredPlace in
            guard case .location(let place) = try FieldValue(node) else { throw node.error(.wrongKind) }
            return place
        }
        guard place == nil || field.systemField == nil else { throw node.error(.wrongKind) }
        self.init(field, from: place, descending: try node.optional("descending")?.bool() ?? false)
    }
}

extension Query.Filter {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .all(let filters): writer.array("all") { writer in filters.forEach { $0.write(to: &writer) } }
            case .any(let filters): writer.array("any") { writer in filters.forEach { $0.write(to: &writer) } }
            case .not(let filter):
                writer.key("not")
                filter.write(to: &writer)
            case .words(let text): writer.member("words", text)
            case .compare(let field, let comparison, let value):
                writer.member("field", field.text)
                writer.key(comparison.rawValue)
                value.write(to: &writer)
            case .within(let field, let radius, let place):
                writer.member("field", field.text)
                writer.member("within", radius.value)
                writer.key("of")
                FieldValue.location(place).write(to: &writer)
            }
        }
    }

    fileprivate init(_ node: Node, depth: Int, _ conditions: inout Int) throws(FormatError) {
        conditions += 1
        guard depth > 0, conditions <= Query.Limit.conditions else { throw node.error(.outOfRange) }
        let members = try node.members()
        if let field = try node.optional("field") {
            self = try Self(field.name(), node, members.map(\.name).filter { $0 != "field" })
            return
        }
        guard members.count == 1, let (name, inner) = members.first else { throw node.error(.wrongKind) }
        switch name {
        case "all": self = .all(try Self.list(inner, depth: depth - 1, &conditions))
        case "any": self = .any(try Self.list(inner, depth: depth - 1, &conditions))
        case "words": self = .words(try inner.string())
        case "not": self = .not(try Self(inner, depth: depth - 1, &conditions))
        default: throw node.error(.wrongKind)
        }
    }

    private static func list(
        _ node: Node, depth: Int, _ conditions: inout Int
    ) throws(FormatError) -> [Query.Filter] {
        var filters: [Query.Filter] = []
        for node in try node.elements() { filters.append(try Self(node, depth: depth, &conditions)) }
        return filters
    }

    /// Reads the condition on a field, which has one other member, or two for a distance.
    private init(_ field: FieldName, _ node: Node, _ names: [String]) throws(FormatError) {
        if let radius = try node.optional("within") {
            guard names.count == 2, case .location(let place) = try FieldValue(node.member("of")) else {
                throw node.error(.wrongKind)
            }
            self = .within(field, try radius.double(), of: place)
            return
        }
        guard names.count == 1, let comparison = Query.Comparison(rawValue: names[0]) else {
            throw node.error(.wrongKind)
        }
        let value = try FieldValue(node.member(names[0]))
        // Nobody can compare what is sealed.
        guard !value.shape.isEncrypted else { throw node.error(.wrongKind) }
        self = .compare(field, comparison, value)
    }
}
