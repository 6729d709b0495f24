import JSONText

// The types that every interface has: bool, int, float, string, object, arrays and maps.

extension Bool: VarlinkReadable, VarlinkWritable {
    /// Reads a `bool`.
    public init(varlink json: JSON) throws(InvalidParameter) { self = try json.unwrap(json.boolValue) }
    /// Writes a `bool`.
    public func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Int64: VarlinkReadable, VarlinkWritable {
    /// Reads an `int`.
    public init(varlink json: JSON) throws(InvalidParameter) { self = try json.unwrap(json.integerValue) }
    /// Writes an `int`.
    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

/// A user id: an `int` from 0 to 4294967294. The highest number means no user, `chown(2)`.
extension UInt32: VarlinkReadable, VarlinkWritable {
    /// Reads an `int` that is a user id.
    public init(varlink json: JSON) throws(InvalidParameter) {
        self = try json.unwrap(json.integerValue.flatMap(UInt32.init(exactly:)).flatMap { $0 == .max ? nil : $0 })
    }
    /// Writes an `int`.
    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

/// A port: an `int` from 1 to 65535.
extension UInt16: VarlinkReadable, VarlinkWritable {
    /// Reads an `int` that is a port.
    public init(varlink json: JSON) throws(InvalidParameter) {
        self = try json.unwrap(json.integerValue.flatMap(UInt16.init(exactly:)).flatMap { $0 == 0 ? nil : $0 })
    }
    /// Writes an `int`.
    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Double: VarlinkReadable, VarlinkWritable {
    /// Reads a `float`, which may also be written as an integer.
    public init(varlink json: JSON) throws(InvalidParameter) { self = try json.unwrap(json.numberValue) }
    /// Writes a `float`; `null` for a value that JSON cannot represent.
    public func write(to writer: inout JSONWriter) { writer.number(self) }
}

extension String: VarlinkReadable, VarlinkWritable {
    /// Reads a `string`.
    public init(varlink json: JSON) throws(InvalidParameter) { self = try json.unwrap(json.stringValue) }
    /// Writes a `string`.
    public func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension JSON: VarlinkReadable, VarlinkWritable {
    /// Reads an `object`.
    public init(varlink json: JSON) throws(InvalidParameter) { self = .object(try json.unwrap(json.objectValue)) }
    /// Writes the value.
    public func write(to writer: inout JSONWriter) { writer.value(self) }

    fileprivate func unwrap<Value>(_ value: Value?) throws(InvalidParameter) -> Value {
        guard let value else { throw InvalidParameter(path: "") }
        return value
    }
}

extension Array: VarlinkReadable where Element: VarlinkReadable {
    /// Reads an array.
    public init(varlink json: JSON) throws(InvalidParameter) {
        let values = try json.unwrap(json.arrayValue)
        self = []
        reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            do throws(InvalidParameter) { append(try Element(varlink: value)) } catch {
                throw error.within("[\(index)]")
            }
        }
    }
}

extension Array: VarlinkWritable where Element: VarlinkWritable {
    /// Writes an array.
    public func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for element in self { element.write(to: &writer) }
        }
    }
}

/// An enumeration whose words are its raw values.
extension RawRepresentable where RawValue == String, Self: VarlinkReadable {
    /// Reads one of the words.
    public init(varlink json: JSON) throws(InvalidParameter) {
        self = try json.unwrap(json.stringValue.flatMap(Self.init(rawValue:)))
    }
}

extension RawRepresentable where RawValue == String, Self: VarlinkWritable {
    /// Writes the word.
    public func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}
