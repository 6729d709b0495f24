import JSONText

/// What can be read from a value of a call or a reply.
public protocol VarlinkReadable: Sendable {
    /// Reads the value.
    /// - Throws: Which part of it is missing or does not hold what the interface says; an empty path means all of it.
    init(varlink json: JSON) throws(InvalidParameter)
}

/// What can be written as a value of a call or a reply.
public protocol VarlinkWritable: Sendable {
    /// Writes the value.
    func write(to writer: inout JSONWriter)
}

/// A value of a call or a reply that either side can read and write.
public typealias VarlinkValue = VarlinkReadable & VarlinkWritable

/// A structure of an interface that can be written: the members of an object, without its brackets.
public protocol VarlinkMembers: VarlinkWritable {
    /// Writes the members in the order of the interface's text. What is absent is left out.
    func writeMembers(to writer: inout JSONWriter)
}

extension VarlinkMembers {
    /// Writes the structure as an object.
    public func write(to writer: inout JSONWriter) {
        writer.object { writeMembers(to: &$0) }
    }
}

extension JSON {
    /// The member of an object that has to be there.
    public func value<Value: VarlinkReadable>(_ name: String) throws(InvalidParameter) -> Value {
        guard let value = self[name] else { throw InvalidParameter(path: name) }
        return try Self.read(value, name)
    }

    /// The member of an object that may be missing or `null`.
    public func optional<Value: VarlinkReadable>(_ name: String) throws(InvalidParameter) -> Value? {
        guard let value = self[name], !value.isNull else { return nil }
        return try Self.read(value, name)
    }

    /// The member of an object that has to be there and to be of a range.
    public func value<Value: VarlinkReadable & Comparable>(
        _ name: String, in range: ClosedRange<Value>
    ) throws(InvalidParameter) -> Value {
        let value: Value = try value(name)
        guard range.contains(value) else { throw InvalidParameter(path: name) }
        return value
    }

    /// The member of an object that may be missing or `null`, and otherwise has to be of a range.
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
    /// The same for the value that contains this one under a name: `radius` within `region` is `region.radius`.
    func within(_ name: String) -> InvalidParameter {
        guard let first = path.first else { return InvalidParameter(path: name) }
        return InvalidParameter(path: first == "[" ? name + path : "\(name).\(path)")
    }
}

extension JSONWriter {
    /// Writes a member with a value of an interface; nothing where there is none.
    public mutating func member(_ name: String, of value: (some VarlinkWritable)?) {
        guard let value else { return }
        key(name)
        value.write(to: &self)
    }
}
