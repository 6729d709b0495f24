import CJSON
import JSONText

/// The parser of json-c, an independent implementation.
///
/// It is less strict than RFC 8259 even in its strict mode (it accepts `NaN`, raw control characters and overlong
/// UTF-8, replaces lone surrogates, clamps integers that are too large, and ends names at U+0000). It may therefore
/// accept texts that this module refuses, and never the reverse.
enum Oracle {
    /// The value, or nil if json-c refuses the text.
    static func parse(_ bytes: [UInt8], maximumDepth: Int = 16) -> JSON? {
        // json-c counts a value that is no array or object as another level.
        guard let tokener = json_tokener_new_ex(Int32(clamping: maximumDepth + 1)) else { return nil }
        defer { json_tokener_free(tokener) }
        json_tokener_set_flags(tokener, JSON_TOKENER_STRICT)
        var root = bytes.withUnsafeBytes { raw in
            json_tokener_parse_ex(tokener, raw.bindMemory(to: CChar.self).baseAddress, Int32(raw.count))
        }
        var end = json_tokener_get_parse_end(tokener)
        if json_tokener_get_error(tokener) == json_tokener_continue {
            // A number has no terminator of its own: the end of the text ends it.
            var terminator: CChar = 0
            root = json_tokener_parse_ex(tokener, &terminator, 1)
            end = bytes.count
        }
        defer { json_object_put(root) }
        guard json_tokener_get_error(tokener) == json_tokener_success, end == bytes.count else { return nil }
        return JSON(root)
    }
}

extension JSON {
    /// A copy of json-c's value.
    fileprivate init(_ value: OpaquePointer?) {
        switch json_object_get_type(value) {
        case json_type_boolean: self = .bool(json_object_get_boolean(value) != 0)
        case json_type_int: self = .integer(json_object_get_int64(value))
        case json_type_double: self = .number(json_object_get_double(value))
        case json_type_string:
            let count = Int(json_object_get_string_len(value))
            let start = UnsafeRawPointer(json_object_get_string(value))
            self = .string(String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self))
        case json_type_array:
            self = .array((0..<json_object_array_length(value)).map { JSON(json_object_array_get_idx(value, $0)) })
        case json_type_object:
            var members: [Member] = []
            var current = json_object_iter_begin(value)
            var end = json_object_iter_end(value)
            while json_object_iter_equal(&current, &end) == 0 {
                if let key = json_object_iter_peek_name(&current) {
                    members.append(Member(String(cString: key), JSON(json_object_iter_peek_value(&current))))
                }
                json_object_iter_next(&current)
            }
            self = .object(members)
        default: self = .null
        }
    }
}
