extension JSON {
    /// Parses one JSON text that fills all of the bytes.
    ///
    /// If a name occurs twice in an object, the last one counts, as in Python's and Go's parsers.
    /// - Parameters:
    ///   - maximumDepth: The greatest nesting of arrays and objects. It bounds the stack: each level is a call.
    ///   - maximumValues: The most values, names and brackets. It bounds the memory a peer can consume: a
    ///     value costs up to 100 bytes where its text has two.
    /// - Throws: The error and its byte offset.
    public static func parse(
        _ bytes: [UInt8], maximumDepth: Int = 16, maximumValues: Int = 1 << 17
    ) throws(JSONError) -> JSON {
        var builder = TreeBuilder(
            reader: try JSONReader(bytes, maximumDepth: maximumDepth), remainingValues: maximumValues)
        let value = try builder.value()
        try builder.reader.end()
        return value
    }
}

/// Builds a tree with a reader.
private struct TreeBuilder {
    var reader: JSONReader
    var remainingValues: Int

    mutating func value() throws(JSONError) -> JSON {
        switch reader.kind {
        case .object: return .object(try members())
        case .array: return .array(try elements())
        default: break
        }
        try count(1)
        switch reader.kind {
        case .string: return .string(try reader.string())
        case .boolean: return .bool(try reader.bool())
        case .null where try reader.readNull(): return .null
        default: return try reader.anyNumber()
        }
    }

    private mutating func members() throws(JSONError) -> [JSON.Member] {
        try count(2)
        var members = JSONMemberList<JSON.Member>()
        guard try reader.beginObject() else { return [] }
        repeat {
            try count(1)
            try reader.readName()
            let name = reader.nameText
            members.set(name, to: try value())
        } while try reader.continueObject()
        return members.members
    }

    private mutating func elements() throws(JSONError) -> [JSON] {
        try count(2)
        var values: [JSON] = []
        guard try reader.beginArray() else { return [] }
        repeat { values.append(try value()) } while try reader.continueArray()
        return values
    }

    /// Counts a value, which needs memory.
    private mutating func count(_ number: Int) throws(JSONError) {
        remainingValues -= number
        guard remainingValues >= 0 else { throw JSONError(reason: .tooManyValues, offset: reader.offset) }
    }
}
