import JSONText

extension SubscriptionAlert {
    /// The alert as JSON.
    public var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Reads what `json` has.
    public init(json: [UInt8]) throws(FormatError) { try self.init(Node(written: json, depth: 4)) }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for (name, text) in [("title", title), ("body", body)] {
                guard let text else { continue }
                writer.object(name) { writer in
                    writer.member("key", text.key?.text)
                    if !text.arguments.isEmpty { writer.member("arguments", text.arguments.map(\.text)) }
                    writer.member("text", text.text)
                }
            }
        }
    }

    init(_ node: Node) throws(FormatError) {
        self.init(
            title: try node.optional("title").map { (node) throws(FormatError) in try Text(node) },
            body: try node.optional("body").map { (node) throws(FormatError) in try Text(node) })
    }
}

extension SubscriptionAlert.Text {
    fileprivate init(_ node: Node) throws(FormatError) {
        let text = try node.optional("text").map { (node) throws(FormatError) in
            let text = try node.string()
            guard text.utf8.count <= SubscriptionAlert.longestText else { throw node.error(.outOfRange) }
            return text
        }
        guard let key = try node.optional("key") else {
            // Without a key, there is no text that values could be filled in.
            guard let text, try node.optional("arguments") == nil else { throw node.error(.missing) }
            self.init(text)
            return
        }
        let arguments = try node.optional("arguments")
        let fields = try arguments?.map { (node) throws(FormatError) -> FieldName in try node.name() } ?? []
        if let arguments, fields.count > SubscriptionAlert.mostArguments { throw arguments.error(.outOfRange) }
        self.init(key: try key.name(), arguments: fields, else: text)
    }
}
