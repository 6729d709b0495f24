import JSONText

/// A value in a JSON text, which an error names by its place. Members that are not known are ignored.
struct Node {
    private let value: JSONValue

    /// Parses a request of at most this many bytes.
    init(request text: [UInt8], most: Int, depth: Int = 10) throws(FormatError) {
        guard text.count <= most else { throw FormatError("", .tooLarge(.requestBytes)) }
        try self.init(text, depth, values: 1 << 19)
    }

    /// Parses what a hub has written. The largest page has fewer values than this: by the sizes of records, one for each
    /// 4 bytes.
    init(written text: [UInt8], depth: Int = 10) throws(FormatError) {
        try self.init(text, depth, values: 1 << 20)
    }

    private init(_ text: [UInt8], _ depth: Int, values: Int) throws(FormatError) {
        do throws(JSONError) {
            value = try JSONDocument(text, maximumDepth: depth, maximumValues: values).root
        } catch {
            throw FormatError("", .notJSON(error))
        }
    }

    private init(_ value: JSONValue) { self.value = value }

    func error(_ problem: FormatError.Problem) -> FormatError {
        FormatError(value.path.joined(separator: "."), problem)
    }

    /// The value as it is written in the text.
    var text: ArraySlice<UInt8> { value.bytes }

    var isNull: Bool { value.isNull }

    /// A member; nil if it is missing or null.
    func optional(_ name: String) throws(FormatError) -> Node? {
        guard value.kind == .object else { throw error(.wrongKind) }
        guard let member = value[name], !member.isNull else { return nil }
        return Node(member)
    }

    func member(_ name: String) throws(FormatError) -> Node {
        guard let node = try optional(name) else {
            throw FormatError((value.path + [name]).joined(separator: "."), .missing)
        }
        return node
    }

    /// The only member of an object; nil if there are none or several.
    func onlyMember() throws(FormatError) -> (name: String, node: Node)? {
        guard value.kind == .object else { throw error(.wrongKind) }
        return value.onlyMember.map { ($0.name, Node($0.value)) }
    }

    func members() throws(FormatError) -> [(name: String, node: Node)] {
        guard let members = value.members else { throw error(.wrongKind) }
        return members.map { ($0.key, Node($0.value)) }
    }

    func elements() throws(FormatError) -> [Node] {
        guard let values = value.elements else { throw error(.wrongKind) }
        return values.map(Node.init)
    }

    func string() throws(FormatError) -> String {
        guard let text = value.stringValue else { throw error(.wrongKind) }
        return text
    }

    func integer() throws(FormatError) -> Int64 {
        guard let number = value.integerValue else { throw error(.wrongKind) }
        return number
    }

    func double() throws(FormatError) -> FiniteDouble {
        guard let number = value.numberValue else { throw error(.wrongKind) }
        guard let double = FiniteDouble(number) else { throw error(.outOfRange) }
        return double
    }

    func bool() throws(FormatError) -> Bool {
        guard let bool = value.boolValue else { throw error(.wrongKind) }
        return bool
    }

    func name<Rule>(_ kind: Name<Rule>.Type = Name<Rule>.self) throws(FormatError) -> Name<Rule> {
        guard let name = Name<Rule>(try string()) else { throw error(.invalidName) }
        return name
    }

    /// The name of a field, also of one that the hub maintains.
    func anyField() throws(FormatError) -> FieldName {
        guard let name = FieldName(ofAnyField: try string()) else { throw error(.invalidName) }
        return name
    }

    /// A word of an enumeration.
    func word<Word: RawRepresentable<String>>(_ type: Word.Type = Word.self) throws(FormatError) -> Word {
        guard let word = Word(rawValue: try string()) else { throw error(.invalidName) }
        return word
    }

    /// The digest of an asset.
    func digest() throws(FormatError) -> [UInt8] {
        guard let digest = HexText.bytes(of: try string()), digest.count == Asset.digestSize else {
            throw error(.outOfRange)
        }
        return digest
    }

    func changeTag() throws(FormatError) -> ChangeTag {
        guard let tag = ChangeTag(try string()) else { throw error(.invalidName) }
        return tag
    }

    /// Applies a reader to each element.
    func map<Value>(_ read: (Node) throws(FormatError) -> Value) throws(FormatError) -> [Value] {
        var values: [Value] = []
        for node in try elements() { values.append(try read(node)) }
        return values
    }
}
