import JSONText
import Location

extension Record {
    /// The record as JSON, its fields in the order of their names.
    public var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Reads a record that a hub has written: an engine's row, or an answer.
    public init(json: [UInt8]) throws(FormatError) {
        self = try Record(Node(written: json))
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name.text)
            writer.member("type", type.text)
            writer.write(fields)
            SavedRecord(self).writeMembers(to: &writer)
        }
    }

    init(_ node: Node) throws(FormatError) {
        let saved = try SavedRecord(node)
        self.init(
            try node.member("name").name(), try node.member("type").name(),
            try node.fields().compactMapValues { $0 }, changeTag: saved.changeTag, created: saved.created,
            modified: saved.modified)
    }
}

extension RecordDraft {
    /// The draft as JSON.
    public var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Reads a draft, or the part of a record that a draft has.
    public init(json: [UInt8]) throws(FormatError) {
        self = try RecordDraft(Node(written: json))
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name.text)
            writer.member("type", type.text)
            writer.write(fields, removing: removed)
            writer.member("changeTag", changeTag?.text)
        }
    }

    init(_ node: Node) throws(FormatError) {
        try self.init(node.member("name").name(), node)
    }

    init(_ name: RecordName, _ node: Node) throws(FormatError) {
        let fields = try node.fields()
        self.init(
            name, try node.member("type").name(), fields.compactMapValues { $0 },
            removing: Set(fields.filter { $0.value == nil }.keys),
            changeTag: try node.optional("changeTag").map { (node) throws(FormatError) in try node.changeTag() })
    }
}

extension SavedRecord {
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("changeTag", changeTag.text)
        writer.object("created") { created.writeMembers(to: &$0) }
        writer.object("modified") { modified.writeMembers(to: &$0) }
    }

    init(_ node: Node) throws(FormatError) {
        self.init(
            changeTag: try node.member("changeTag").changeTag(),
            created: try Record.Stamp(node.member("created")), modified: try Record.Stamp(node.member("modified")))
    }
}

extension Record.Stamp {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("time", time.microseconds)
        writer.member("account", account.text)
        writer.member("device", device.text)
    }

    fileprivate init(_ node: Node) throws(FormatError) {
        self.init(
            UTCTime(microseconds: try node.member("time").integer()), try node.member("account").name(),
            try node.member("device").name())
    }
}

extension JSONWriter {
    /// Writes fields, and those to remove as null.
    fileprivate mutating func write(_ fields: [FieldName: FieldValue], removing removed: Set<FieldName> = []) {
        object("fields") { writer in
            for name in removed.union(fields.keys).sorted() {
                writer.key(name.text)
                if let value = fields[name] { value.write(to: &writer) } else { writer.null() }
            }
        }
    }
}

extension Node {
    /// Fields; nil for those to remove.
    fileprivate func fields() throws(FormatError) -> [FieldName: FieldValue?] {
        var fields: [FieldName: FieldValue?] = [:]
        for (name, node) in try member("fields").members() {
            guard let name = FieldName(name) else { throw node.error(.invalidName) }
            fields.updateValue(node.isNull ? nil : try FieldValue(node), forKey: name)
        }
        return fields
    }
}
