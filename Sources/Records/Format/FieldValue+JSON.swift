import JSONText
import Location

extension FieldValue {
    /// The value as JSON.
    public var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Reads a value that was opened.
    public init(json: [UInt8]) throws(FormatError) { self = try FieldValue(Node(written: json)) }

    /// Writes the value: an object with one member, which is named for the kind.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .list(let list):
                writer.member("list", list.kind.rawValue)
                writer.array("values") { writer in
                    for value in list.values { value.writeContent(to: &writer) }
                }
            case .encrypted(let value):
                writer.key("encrypted")
                value.value.write(to: &writer)
            case .sealed(let field):
                writer.member("sealed", field.shape.kind.rawValue)
                if field.shape.isList { writer.member("list", true) }
                writer.member("bytes", Base64.text(field.bytes))
            default:
                guard let kind else { return }
                writer.key(kind.rawValue)
                writeContent(to: &writer)
            }
        }
    }

    private func writeContent(to writer: inout JSONWriter) {
        switch self {
        case .string(let text): writer.string(text)
        case .bytes(let bytes): writer.string(Base64.text(bytes))
        case .integer(let number): writer.integer(number)
        case .double(let number): writer.number(number.value)
        case .date(let time): writer.integer(time.microseconds)
        case .location(let place): place.write(to: &writer)
        case .reference(let name): writer.string(name.text)
        case .asset(let asset):
            writer.object { writer in
                writer.member("digest", HexText.text(asset.digest))
                writer.member("size", asset.size)
            }
        case .list, .encrypted, .sealed: preconditionFailure("a list contains single values only")
        }
    }

    /// Reads a value as `write` writes it.
    init(_ node: Node) throws(FormatError) {
        if let (name, content) = try node.onlyMember(), let kind = FieldKind(rawValue: name) {
            self = try Self(kind, content)
            return
        }
        let members = try node.members()
        guard let first = members.first else { throw node.error(.missing) }
        if try node.optional("sealed") != nil {
            self = .sealed(try SealedField(node, members.count))
        } else if let inner = try node.optional("encrypted") {
            guard members.count == 1, let value = EncryptedValue(try FieldValue(inner)) else {
                throw node.error(.wrongKind)
            }
            self = .encrypted(value)
        } else if try node.optional("list") != nil {
            guard members.count == 2 else { throw node.error(.wrongKind) }
            let kind: FieldKind = try node.member("list").word()
            let values = try node.member("values").map { (node) throws(FormatError) in try Self(kind, node) }
            guard let list = FieldList(kind, values) else { throw node.error(.wrongKind) }
            self = .list(list)
        } else {
            guard members.count == 1, let kind = FieldKind(rawValue: first.name) else { throw node.error(.wrongKind) }
            self = try Self(kind, first.node)
        }
    }

    private init(_ kind: FieldKind, _ node: Node) throws(FormatError) {
        switch kind {
        case .string: self = .string(try node.string())
        case .bytes: self = .bytes(try node.bytes())
        case .integer: self = .integer(try node.integer())
        case .double: self = .double(try node.double())
        case .date: self = .date(UTCTime(microseconds: try node.integer()))
        case .location: self = .location(try StoredPlace(node))
        case .reference: self = .reference(try node.name())
        case .asset:
            guard let digest = HexText.bytes(of: try node.member("digest").string()),
                let asset = Asset(digest: digest, size: try node.member("size").integer())
            else { throw node.error(.outOfRange) }
            self = .asset(asset)
        }
    }
}

extension SealedField {
    fileprivate init(_ node: Node, _ count: Int) throws(FormatError) {
        let isList = try node.optional("list")?.bool()
        guard count == (isList == nil ? 2 : 3), isList != false,
            let field = SealedField(
                try node.member("sealed").word(), isList: isList ?? false, try node.member("bytes").bytes())
        else { throw node.error(.wrongKind) }
        self = field
    }
}

extension Node {
    fileprivate func bytes() throws(FormatError) -> [UInt8] {
        let text = try string()
        // Only one text of the same bytes is accepted.
        guard let bytes = Base64.bytes(Array(text.utf8)), Base64.text(bytes).utf8.elementsEqual(text.utf8) else {
            throw error(.notBase64)
        }
        return bytes
    }
}

extension StoredPlace {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("latitude", coordinate.latitude)
            writer.member("longitude", coordinate.longitude)
            writer.member("altitude", altitude?.value)
            writer.member("horizontalAccuracy", horizontalAccuracy?.value)
            writer.member("time", time?.microseconds)
        }
    }

    fileprivate init(_ node: Node) throws(FormatError) {
        let latitude = try node.member("latitude").double()
        let longitude = try node.member("longitude").double()
        guard let coordinate = Coordinate(latitude: latitude.value, longitude: longitude.value) else {
            throw node.error(.outOfRange)
        }
        let accuracy = try node.optional("horizontalAccuracy")?.double()
        if let accuracy, accuracy.value < 0 { throw node.error(.outOfRange) }
        self.init(
            coordinate, altitude: try node.optional("altitude")?.double(), horizontalAccuracy: accuracy,
            time: try node.optional("time").map { (node) throws(FormatError) in
                UTCTime(microseconds: try node.integer())
            })
    }
}
