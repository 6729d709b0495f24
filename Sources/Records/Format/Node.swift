import JSONText

/// A value in a JSON text, and its place in it for errors. Members that are not known are ignored.
struct Node {
    let value: JSON
    private let place: Place

    /// A place in a text. Only an error needs it as words.
    private indirect enum Place {
        case whole
        case member(String, of: Place)
        case element(Int, of: Place)

        var words: String {
            switch self {
            case .whole: ""
            case .member(let name, of: .whole): name
            case .element(let index, of: .whole): "\(index)"
            case .member(let name, of: let above): above.words + "." + name
            case .element(let index, of: let above): above.words + ".\(index)"
            }
        }
    }

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
            value = try JSON.parse(text, maximumDepth: depth, maximumValues: values)
        } catch {
            throw FormatError("", .notJSON(error))
        }
        place = .whole
    }

    private init(_ value: JSON, _ place: Place) {
        self.value = value
        self.place = place
    }

    func error(_ problem: FormatError.Problem) -> FormatError { FormatError(place.words, problem) }

    /// A member; nil if it is missing or null.
    func optional(_ name: String) throws(FormatError) -> Node? {
        guard value.objectValue != nil else { throw error(.wrongKind) }
        guard let member = value[name], !member.isNull else { return nil }
        return Node(member, .member(name, of: place))
    }

    func member(_ name: String) throws(FormatError) -> Node {
        guard let node = try optional(name) else { throw FormatError(Place.member(name, of: place).words, .missing) }
        return node
    }

    func members() throws(FormatError) -> [(name: String, node: Node)] {
        guard let members = value.objectValue else { throw error(.wrongKind) }
        return members.map { ($0.key, Node($0.value, .member($0.key, of: place))) }
    }

    func elements() throws(FormatError) -> [Node] {
        guard let values = value.arrayValue else { throw error(.wrongKind) }
        return values.enumerated().map { Node($0.element, .element($0.offset, of: place)) }
    }

    func string() throws(FormatError) -> String {
        guard let text = value.stringValue else { throw error(.wrongKind) }
        return text
    }

    func integer() throws(FormatError) -> Int64 {
        guard case .integer(let number) = value else { throw error(.wrongKind) }
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
