import CJSON

extension JSON {
    /// Reads one JSON text that fills all of the bytes.
    ///
    /// Where a name occurs twice in an object the last one counts, as with Python's and Go's readers.
    /// - Parameters:
    ///   - maximumDepth: How many arrays and objects may lie within each other.
    ///   - maximumValues: How many values, names and brackets there may be. It bounds the memory a peer can take: a
    ///     value costs json-c and this type up to 100 bytes where its text has two.
    /// - Throws: What is wrong, and at which byte.
    ///
    /// json_tokener_parse_ex of json-c, RFC 8259.
    public static func parse(
        _ bytes: [UInt8], maximumDepth: Int = 16, maximumValues: Int = 1 << 17
    ) throws(JSONError) -> JSON {
        guard bytes.count < Int(Int32.max) else { throw JSONError(reason: .tooLong, offset: bytes.count) }
        var scanner = JSONScanner(bytes, maximumDepth: maximumDepth, maximumValues: maximumValues)
        try scanner.check()
        var tokener = try Tokener(maximumDepth: maximumDepth)
        return try tokener.parse(bytes)
    }
}

/// json-c's parser, freed with its owner.
private struct Tokener: ~Copyable {
    private let handle: OpaqueTokener

    private typealias OpaqueTokener = UnsafeMutablePointer<json_tokener>

    init(maximumDepth: Int) throws(JSONError) {
        // The scanner has checked the depth; json-c counts a scalar as one level more.
        guard let handle = json_tokener_new_ex(Int32(clamping: maximumDepth + 1)) else {
            throw JSONError(reason: .outOfMemory, offset: 0)
        }
        self.handle = handle
        json_tokener_set_flags(handle, JSON_TOKENER_STRICT)
    }

    deinit { json_tokener_free(handle) }

    mutating func parse(_ bytes: [UInt8]) throws(JSONError) -> JSON {
        var root = bytes.withUnsafeBytes { raw in
            json_tokener_parse_ex(handle, raw.bindMemory(to: CChar.self).baseAddress, Int32(raw.count))
        }
        var failure = json_tokener_get_error(handle)
        var end = json_tokener_get_parse_end(handle)
        if failure == json_tokener_continue {
            // A number has no end of its own: the text's end is its end.
            var terminator: CChar = 0
            root = json_tokener_parse_ex(handle, &terminator, 1)
            failure = json_tokener_get_error(handle)
            end = bytes.count
        }
        defer { json_object_put(root) }
        switch failure {
        case json_tokener_success where end == bytes.count: return JSON(root)
        case json_tokener_continue, json_tokener_error_parse_eof: throw JSONError(reason: .unfinished, offset: end)
        case json_tokener_error_depth: throw JSONError(reason: .tooDeep, offset: end)
        default: throw JSONError(reason: .structure, offset: end)
        }
    }
}

extension JSON {
    /// A copy of json-c's value. It recurses as deep as the parser allowed.
    fileprivate init(_ value: OpaquePointer?) {
        switch json_object_get_type(value) {
        case json_type_boolean:
            self = .bool(json_object_get_boolean(value) != 0)
        case json_type_int:
            self = .integer(json_object_get_int64(value))
        case json_type_double:
            self = .number(json_object_get_double(value))
        case json_type_string:
            let count = Int(json_object_get_string_len(value))
            let start = UnsafeRawPointer(json_object_get_string(value))
            self = .string(String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self))
        case json_type_array:
            self = .array((0..<json_object_array_length(value)).map { JSON(json_object_array_get_idx(value, $0)) })
        case json_type_object:
            self = .object(Self.members(of: value))
        default:
            self = .null
        }
    }

    private static func members(of object: OpaquePointer?) -> [Member] {
        var members: [Member] = []
        members.reserveCapacity(Int(json_object_object_length(object)))
        var current = json_object_iter_begin(object)
        var end = json_object_iter_end(object)
        while json_object_iter_equal(&current, &end) == 0 {
            if let key = json_object_iter_peek_name(&current) {
                members.append(Member(String(cString: key), JSON(json_object_iter_peek_value(&current))))
            }
            json_object_iter_next(&current)
        }
        return members
    }
}
