extension JSON {
    /// The bytes of the value that these names lead to, within the text of an object that `parse` has accepted.
    ///
    /// Where a name occurs twice the last one counts, as in `parse`.
    public static func rawValue(in text: [UInt8], at path: [String]) -> ArraySlice<UInt8>? {
        var value = text[...].trimmingJSONSpace
        for name in path {
            guard let member = member(name, of: value) else { return nil }
            value = member
        }
        return value
    }

    private static func member(_ name: String, of object: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard object.first == UInt8(ascii: "{"), object.last == UInt8(ascii: "}") else { return nil }
        var rest = object.dropFirst().dropLast()
        var found: ArraySlice<UInt8>?
        while !rest.trimmingJSONSpace.isEmpty {
            let key = rest.firstJSONPart(until: UInt8(ascii: ":"))
            rest = rest[key.endIndex...].dropFirst()
            let value = rest.firstJSONPart(until: UInt8(ascii: ","))
            rest = rest[value.endIndex...].dropFirst()
            if isName(key.trimmingJSONSpace, name) { found = value.trimmingJSONSpace }
        }
        return found
    }

    private static func isName(_ key: ArraySlice<UInt8>, _ name: String) -> Bool {
        if !key.contains(UInt8(ascii: "\\")) { return key.dropFirst().dropLast().elementsEqual(name.utf8) }
        do throws(JSONError) {
            return try parse(Array(key)).stringValue == name
        } catch {
            // The text as a whole was accepted, so this cannot be; a name that is none matches nothing.
            return false
        }
    }
}

extension ArraySlice<UInt8> {
    /// Without the white space around it.
    fileprivate var trimmingJSONSpace: ArraySlice<UInt8> {
        let trimmed = drop { $0.isJSONSpace }
        guard let last = trimmed.lastIndex(where: { !$0.isJSONSpace }) else { return trimmed }
        return trimmed[...last]
    }

    /// What stands before the first such sign that is in no string and in no brackets; all where there is none.
    fileprivate func firstJSONPart(until sign: UInt8) -> ArraySlice<UInt8> {
        var depth = 0
        var isString = false
        var isEscaped = false
        for index in indices {
            let byte = self[index]
            if isString {
                if !isEscaped, byte == UInt8(ascii: "\"") { isString = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case sign where depth == 0: return self[startIndex..<index]
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        return self
    }
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\n")
            || self == UInt8(ascii: "\r")
    }
}
