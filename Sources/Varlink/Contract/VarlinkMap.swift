import JSONText

/// Values by name, in the order in which they were received: `[string]type` in an interface.
public struct VarlinkMap<Value: Sendable>: Sendable {
    /// A name and its value.
    public struct Entry: Sendable {
        /// The name, unique within the map.
        public var name: String
        /// The value.
        public var value: Value

        /// An entry of these two.
        public init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// The entries in their order.
    public private(set) var entries: [Entry] = []

    /// An empty map.
    public init() {}

    /// A map of these entries; of two with the same name the last one counts.
    public init(_ entries: some Sequence<Entry>) {
        for entry in entries { self[entry.name] = entry.value }
    }

    /// The value of a name; nil where there is none.
    public subscript(name: String) -> Value? {
        get { entries.first { $0.name == name }?.value }
        set {
            guard let index = entries.firstIndex(where: { $0.name == name }) else {
                if let newValue { entries.append(Entry(name, newValue)) }
                return
            }
            if let newValue { entries[index].value = newValue } else { entries.remove(at: index) }
        }
    }
}

extension VarlinkMap: Sequence {
    /// An iterator over the entries.
    public func makeIterator() -> IndexingIterator<[Entry]> { entries.makeIterator() }

    /// Whether there is no entry.
    public var isEmpty: Bool { entries.isEmpty }
}

extension VarlinkMap: ExpressibleByDictionaryLiteral {
    /// A map of these names and values.
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(elements.map { Entry($0.0, $0.1) })
    }
}

extension VarlinkMap: Equatable where Value: Equatable {}
extension VarlinkMap.Entry: Equatable where Value: Equatable {}

extension VarlinkMap: VarlinkReadable where Value: VarlinkReadable {
    /// Decodes an object whose members all have the same type.
    public init(varlink json: JSON) throws(InvalidParameter) {
        guard let members = json.objectValue else { throw InvalidParameter(path: "") }
        for member in members {
            do throws(InvalidParameter) { entries.append(Entry(member.key, try Value(varlink: member.value))) } catch {
                throw error.within("[]")
            }
        }
    }
}

extension VarlinkMap: VarlinkWritable where Value: VarlinkWritable {
    /// Encodes it as an object.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for entry in entries { writer.member(entry.name, of: entry.value) }
        }
    }
}
