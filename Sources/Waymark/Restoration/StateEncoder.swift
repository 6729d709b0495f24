/// Encodes the state of one object, and of its children.
public struct StateEncoder {
    /// What was encoded so far.
    struct Draft {
        var archive = StateArchive()
        var error: StateArchiveError?
    }

    /// The path of the object.
    public let path: RestorationPath
    var draft: Draft

    /// Encodes a value, which replaces an earlier one of this key.
    public mutating func encode<Value: StateValue>(_ value: Value, for key: StateKey<Value>) {
        let stored = value.stored
        guard stored.isNested(atMost: StoredValue.maximumDepth) else {
            return fail(.valueTooDeep(path, key: key.name))
        }
        draft.archive.set(stored, for: key.name, of: path)
    }

    /// Encodes a child. The closure is called with the child's encoder, unless the child has no identifier: then neither
    /// the child nor anything below it is saved.
    public mutating func child<Failure: Error>(
        _ identifier: RestorationIdentifier?, _ encode: (inout StateEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        guard let identifier else { return }
        let childPath = path.appending(identifier)
        guard childPath.identifiers.count <= RestorationPath.maximumLength else {
            return fail(.pathTooLong(childPath))
        }
        guard draft.archive.add(identifier, below: path) else { return fail(.duplicateIdentifier(childPath)) }
        var child = StateEncoder(path: childPath, draft: Draft())
        swap(&child.draft, &draft)
        defer { swap(&child.draft, &draft) }
        try encode(&child)
    }

    /// Records the first error, which `StateArchive.init` throws.
    private mutating func fail(_ error: StateArchiveError) {
        if draft.error == nil { draft.error = error }
    }
}
