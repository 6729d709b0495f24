/// The saved state of one object, and of its children.
public struct StateDecoder: Sendable {
    /// The path of the object.
    public let path: RestorationPath
    let archive: StateArchive

    /// The value of a key; nil if none was saved, or one of another type.
    public func decode<Value: StateValue>(_ key: StateKey<Value>) -> Value? {
        archive.values[path]?[key.name].flatMap { Value(stored: $0) }
    }

    /// The names of the keys with a value.
    public var keys: Set<String> { Set((archive.values[path] ?? [:]).keys) }

    /// The identifiers of the children whose state was saved, in the order in which it was encoded.
    public var children: [RestorationIdentifier] { archive.identifiers(below: path) }

    /// The state of a child; nil if none was saved.
    public func child(_ identifier: RestorationIdentifier) -> StateDecoder? { descendant([identifier]) }

    /// The state of an object further below, by its path from this one; nil if none was saved.
    public func descendant(_ relative: RestorationPath) -> StateDecoder? {
        let path = RestorationPath(path.identifiers + relative.identifiers)
        return archive.values[path] == nil ? nil : StateDecoder(path: path, archive: archive)
    }
}
