import JSONText
import Location

/// Steps over a record in the form in which `Record.write` writes it, and checks everything that reading it would check, without
/// making values of it. A record in another form, and one with fields whose names are not in their order, is left to `Record`.
struct RecordScan {
    /// Where the name of the record is in the text.
    private(set) var name = 0..<0
    /// The size that limits count, in bytes.
    private(set) var size = 0
    /// Whether a field has an asset.
    private(set) var hasAssets = false
    private var json: WrittenJSON

    /// Steps over the record at an offset of a text, which is UTF-8; nil if it has another form.
    init?(_ text: Span<UInt8>, at offset: Int) {
        json = WrittenJSON(at: offset)
        guard json.accept("{\"name\":", in: text), let name = json.plainString(in: text),
            RecordName.isName(text, name), json.accept(",\"type\":", in: text),
            let type = json.plainString(in: text), RecordType.isName(text, type), fields(in: text),
            json.accept(",\"changeTag\":", in: text), let tag = json.plainString(in: text), ChangeTag.isTag(text, tag),
            json.accept(",\"created\":", in: text), stamp(in: text), json.accept(",\"modified\":", in: text),
            stamp(in: text), json.accept("}", in: text)
        else { return nil }
        self.name = name
        size += name.count + type.count
    }

    /// The offset after the record.
    var end: Int { json.offset }

    private mutating func stamp(in text: Span<UInt8>) -> Bool {
        guard json.accept("{\"time\":", in: text), json.integer(in: text) != nil,
            json.accept(",\"account\":", in: text),
            let account = json.plainString(in: text), AccountID.isName(text, account),
            json.accept(",\"device\":", in: text), let device = json.plainString(in: text)
        else { return false }
        return DeviceID.isName(text, device) && json.accept("}", in: text)
    }

    private mutating func fields(in text: Span<UInt8>) -> Bool {
        guard json.accept(",\"fields\":{", in: text) else { return false }
        if json.accept("}", in: text) { return true }
        var last = 0..<0
        repeat {
            guard let name = json.plainString(in: text), FieldName.isName(text, name),
                Self.isBefore(last, name, in: text), json.accept(":{", in: text), value(in: text),
                json.accept("}", in: text)
            else { return false }
            size += name.count + Record.fieldOverhead
            last = name
        } while json.accept(",", in: text)
        return json.accept("}", in: text)
    }

    /// Whether a name is before another one, by bytes.
    private static func isBefore(_ left: Range<Int>, _ right: Range<Int>, in text: Span<UInt8>) -> Bool {
        for offset in 0..<min(left.count, right.count) {
            let (left, right) = (text[left.lowerBound + offset], text[right.lowerBound + offset])
            if left != right { return left < right }
        }
        return left.count < right.count
    }

    private mutating func value(in text: Span<UInt8>) -> Bool {
        if let kind = kind(in: text) { return json.accept(":", in: text) && content(kind, in: text) }
        if json.accept("\"list\":", in: text) { return list(in: text) }
        return json.accept("\"sealed\":", in: text) && sealed(in: text)
    }

    private mutating func kind(in text: Span<UInt8>) -> FieldKind? {
        for kind in FieldKind.allCases where json.accept(kind.written, in: text) { return kind }
        return nil
    }

    private mutating func list(in text: Span<UInt8>) -> Bool {
        guard let kind = kind(in: text), json.accept(",\"values\":[", in: text) else { return false }
        if json.accept("]", in: text) { return true }
        repeat {
            guard content(kind, in: text) else { return false }
            size += FieldValue.elementOverhead
        } while json.accept(",", in: text)
        return json.accept("]", in: text)
    }

    private mutating func sealed(in text: Span<UInt8>) -> Bool {
        guard let kind = kind(in: text), EncryptedValue.accepts(FieldDefinition.Shape(kind)) else { return false }
        _ = json.accept(",\"list\":true", in: text)
        return json.accept(",\"bytes\":", in: text) && content(.bytes, in: text)
    }

    /// Steps over a value, as a list has it as well, and counts its size.
    private mutating func content(_ kind: FieldKind, in text: Span<UInt8>) -> Bool {
        switch kind {
        case .string:
            guard let count = json.string(in: text) else { return false }
            size += count
        case .bytes:
            guard let range = json.plainString(in: text), let count = Base64.count(in: text, range) else {
                return false
            }
            size += count
        case .integer, .date:
            guard json.integer(in: text) != nil else { return false }
            size += 8
        case .double:
            guard json.double(in: text) != nil else { return false }
            size += 8
        case .location:
            guard place(in: text) else { return false }
            size += 40
        case .reference:
            guard let name = json.plainString(in: text), RecordName.isName(text, name) else { return false }
            size += name.count
        case .asset:
            guard asset(in: text) else { return false }
            size += Asset.digestSize + 8
            hasAssets = true
        }
        return true
    }

    private mutating func place(in text: Span<UInt8>) -> Bool {
        guard json.accept("{\"latitude\":", in: text), let latitude = json.double(in: text),
            json.accept(",\"longitude\":", in: text), let longitude = json.double(in: text),
            Coordinate(latitude: latitude, longitude: longitude) != nil
        else { return false }
        if json.accept(",\"altitude\":", in: text), json.double(in: text) == nil { return false }
        if json.accept(",\"horizontalAccuracy\":", in: text) {
            guard let accuracy = json.double(in: text), accuracy >= 0 else { return false }
        }
        if json.accept(",\"time\":", in: text), json.integer(in: text) == nil { return false }
        return json.accept("}", in: text)
    }

    private mutating func asset(in text: Span<UInt8>) -> Bool {
        guard json.accept("{\"digest\":", in: text), let digest = json.plainString(in: text),
            HexText.isText(text, digest, ofBytes: Asset.digestSize), json.accept(",\"size\":", in: text),
            let size = json.integer(in: text), (0...Asset.mostBytes).contains(size)
        else { return false }
        return json.accept("}", in: text)
    }
}

extension FieldKind {
    /// The name as a JSON text has it.
    fileprivate var written: StaticString {
        switch self {
        case .string: "\"string\""
        case .bytes: "\"bytes\""
        case .integer: "\"integer\""
        case .double: "\"double\""
        case .date: "\"date\""
        case .location: "\"location\""
        case .reference: "\"reference\""
        case .asset: "\"asset\""
        }
    }
}
