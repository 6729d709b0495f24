import JSONText

/// A type that can be decoded from a value of a call or a reply.
public protocol VarlinkReadable: Sendable {
    /// Decodes the value.
    /// - Throws: The part that is missing or does not match the interface; an empty path means the whole value.
    init(varlink json: JSON) throws(InvalidParameter)
}

/// A type that can be encoded as a value of a call or a reply.
public protocol VarlinkWritable: Sendable {
    /// Writes the value.
    func write(to writer: inout JSONWriter)
}

/// A type that both sides can decode and encode.
public typealias VarlinkValue = VarlinkReadable & VarlinkWritable

/// A structure of an interface that can be encoded: the members of an object, without its brackets.
public protocol VarlinkMembers: VarlinkWritable {
    /// Writes the members in the order of the interface's text. Absent ones are omitted.
    func writeMembers(to writer: inout JSONWriter)
}

extension VarlinkMembers {
    /// Writes the structure as an object.
    public func write(to writer: inout JSONWriter) {
        writer.object { writeMembers(to: &$0) }
    }
}

extension JSON {
    /// Decodes a required member of an object.
    public func value<Value: VarlinkReadable>(_ name: String) throws(InvalidParameter) -> Value {
        guard let value = self[name] else { throw InvalidParameter(path: name) }
        return try Self.read(value, name)
    }

    /// Decodes a member of an object that may be missing or `null`.
    public func optional<Value: VarlinkReadable>(_ name: String) throws(InvalidParameter) -> Value? {
        guard let value = self[name], !value.isNull else { return nil }
        return try Self.read(value, name)
    }

    /// Decodes a required member of an object and checks its range.
    public func value<Value: VarlinkReadable & Comparable>(
        _ name: String, in range: ClosedRange<Value>
    ) throws(InvalidParameter) -> Value {
        let value: Value = try value(name)
        guard range.contains(value) else { throw InvalidParameter(path: name) }
        return value
    }

    /// Decodes a member of an object that may be missing or `null`, and checks its range.
    public func optional<Value: VarlinkReadable & Comparable>(
        _ name: String, in range: ClosedRange<Value>
    ) throws(InvalidParameter) -> Value? {
        guard let value: Value = try optional(name) else { return nil }
        guard range.contains(value) else { throw InvalidParameter(path: name) }
        return value
    }

    private static func read<Value: VarlinkReadable>(_ value: JSON, _ name: String) throws(InvalidParameter) -> Value {
        do throws(InvalidParameter) { return try Value(varlink: value) } catch { throw error.within(name) }
    }
}

extension InvalidParameter {
    /// The same error with the path in the enclosing value: `radius` within `region` becomes `region.radius`.
    func within(_ name: String) -> InvalidParameter {
        guard let first = path.first else { return InvalidParameter(path: name) }
        return InvalidParameter(path: first == "[" ? name + path : "\(name).\(path)")
    }
}

extension JSONWriter {
    /// Writes a member with a value of an interface; nothing if the value is nil.
    public mutating func member(_ name: String, of value: (some VarlinkWritable)?) {
        guard let value else { return }
        key(name)
        value.write(to: &self)
    }
}
