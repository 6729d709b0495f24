/// A value in a checked JSON text. It refers to the text, and reads its contents from it when they are used.
public struct JSONValue: Sendable {
    private let document: JSONDocument
    private let index: Int

    init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    private var place: JSONDocument.Place { document.places[index] }

    private func value(at index: Int) -> JSONValue { JSONValue(document: document, index: index) }

    /// What it is.
    public var kind: JSONKind { place.kind }

    /// Whether it is `null`.
    public var isNull: Bool { kind == .null }

    /// The value of `true` or `false`, else nil.
    public var boolValue: Bool? {
        guard kind == .boolean else { return nil }
        return document.text[Int(place.start)] == UInt8(ascii: "t")
    }

    /// The value of a number that is written without a fraction and an exponent, else nil.
    public var integerValue: Int64? {
        guard kind == .number, !place.isMarked, let number else { return nil }
        let text = document.text
        return try? number.integer(in: text.span)
    }

    /// The value of either kind of number, else nil.
    public var numberValue: Double? {
        guard kind == .number, let number else { return nil }
        let text = document.text
        guard place.isMarked else { return (try? number.integer(in: text.span)).map(Double.init) }
        return try? number.double(in: text.span)
    }

    private var number: JSONNumber? {
        let text = document.text
        return try? JSONNumber(in: text.span, from: Int(place.start))
    }

    /// The value of a string, else nil.
    public var stringValue: String? {
        guard kind == .string else { return nil }
        return string(at: index)
    }

    private func string(at index: Int) -> String {
        let place = document.places[index]
        let bytes = document.text[Int(place.start)..<Int(place.end)]
        guard place.isMarked else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: unescaped(place), as: UTF8.self)
    }

    private func unescaped(_ place: JSONDocument.Place) -> [UInt8] {
        do throws(JSONError) {
            return try JSONString.unescaped(Int(place.start)..<Int(place.end), in: document.text)
        } catch {
            preconditionFailure("the escapes of the text were checked")
        }
    }

    /// The bytes of the value in the text, without white space around it.
    public var bytes: ArraySlice<UInt8> {
        let (start, end) = (Int(place.start), Int(place.end))
        if kind == .string { return document.text[(start - 1)..<(end + 1)] }
        return document.text[start..<end].trimmingTrailingSpace
    }

    /// The value under a name; nil if this is no object or has no such member. If the name occurs twice, the last one counts.
    public subscript(name: String) -> JSONValue? {
        guard kind == .object else { return nil }
        var found: Int?
        var member = index + 1
        let end = Int(place.next)
        while member < end {
            if isName(member, name) { found = member + 1 }
            member = Int(document.places[member + 1].next)
        }
        return found.map(value(at:))
    }

    private func isName(_ index: Int, _ name: String) -> Bool {
        let place = document.places[index]
        guard !place.isMarked else { return unescaped(place).elementsEqual(name.utf8) }
        guard Int(place.end - place.start) == name.utf8.count else { return false }
        var offset = Int(place.start)
        for byte in name.utf8 {
            guard document.text[offset] == byte else { return false }
            offset += 1
        }
        return true
    }

    /// The only member of an object; nil for anything else, and for an object of none or several.
    public var onlyMember: (name: String, value: JSONValue)? {
        let end = Int(place.next)
        guard kind == .object, index + 1 < end, Int(document.places[index + 2].next) == end else { return nil }
        return (string(at: index + 1), value(at: index + 2))
    }

    /// One name and its value within an object.
    public struct Member: Sendable, NamedJSONValue {
        /// The name, unique within its object.
        public let key: String
        /// The value.
        public internal(set) var value: JSONValue

        init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The members of an object in the order of the text, else nil. If a name occurs twice, the last one counts.
    public var members: [Member]? {
        guard kind == .object else { return nil }
        var list = JSONMemberList<Member>()
        var member = index + 1
        let end = Int(place.next)
        while member < end {
            list.set(string(at: member), to: value(at: member + 1))
            member = Int(document.places[member + 1].next)
        }
        return list.members
    }

    /// The values of an array in their order, else nil.
    public var elements: [JSONValue]? {
        guard kind == .array else { return nil }
        var values: [JSONValue] = []
        var element = index + 1
        let end = Int(place.next)
        while element < end {
            values.append(value(at: element))
            element = Int(document.places[element].next)
        }
        return values
    }

    /// The names of members and the numbers of elements on the path from the whole text to this value.
    public var path: [String] {
        var path: [String] = []
        var above = 0
        while above < index {
            let isObject = document.places[above].kind == .object
            var number = 0
            var child = above + (isObject ? 2 : 1)
            while Int(document.places[child].next) <= index {
                child = Int(document.places[child].next) + (isObject ? 1 : 0)
                number += 1
            }
            path.append(isObject ? string(at: child - 1) : "\(number)")
            above = child
        }
        return path
    }
}
