/// The state of an app and of its objects, each with its path.
public struct StateArchive: Equatable, Sendable {
    /// The values of an object by the names of their keys.
    typealias Values = [String: StoredValue]

    private(set) var values: [RestorationPath: Values] = [[]: [:]]
    private var children: [RestorationPath: [RestorationIdentifier]] = [:]

    /// The state of an app without objects and values.
    init() {}

    /// The state that a closure encodes.
    ///
    /// - Throws: `.duplicateIdentifier`, `.pathTooLong` or `.valueTooDeep` for the first object of which that is true.
    public init(_ encode: (inout StateEncoder) -> Void) throws(StateArchiveError) {
        var encoder = StateEncoder(path: [], draft: StateEncoder.Draft())
        encode(&encoder)
        if let error = encoder.draft.error { throw error }
        self = encoder.draft.archive
    }

    /// The paths of all objects: a parent before its children, and children in the order in which they were encoded.
    public var paths: [RestorationPath] {
        var paths: [RestorationPath] = []
        var next: [RestorationPath] = [[]]
        while let path = next.popLast() {
            paths.append(path)
            next += identifiers(below: path).reversed().map(path.appending)
        }
        return paths
    }

    /// The state of the app, and of its objects below it.
    public var root: StateDecoder { StateDecoder(path: [], archive: self) }

    /// The identifiers of an object's children in the order in which they were encoded.
    func identifiers(below path: RestorationPath) -> [RestorationIdentifier] { children[path] ?? [] }

    /// Adds an object without values below an object that exists. False if there is one of this path already.
    mutating func add(_ identifier: RestorationIdentifier, below parent: RestorationPath) -> Bool {
        let path = parent.appending(identifier)
        guard values[parent] != nil, values[path] == nil else { return false }
        values[path] = [:]
        children[parent, default: []].append(identifier)
        return true
    }

    /// Sets a value of an object that exists.
    mutating func set(_ value: StoredValue, for name: String, of path: RestorationPath) {
        values[path]?[name] = value
    }
}

/// Why a state cannot be stored.
public enum StateArchiveError: Error, Equatable, CustomStringConvertible {
    /// Two children of one parent have the same identifier.
    case duplicateIdentifier(RestorationPath)
    /// An object has more than `RestorationPath.maximumLength` ancestors.
    case pathTooLong(RestorationPath)
    /// Arrays or optionals are nested deeper than `StoredValue.maximumDepth`.
    case valueTooDeep(RestorationPath, key: String)
    /// The state is larger than the limit.
    case tooLarge(bytes: Int, limit: Int)

    /// A sentence for a programmer, with the next step.
    public var description: String {
        switch self {
        case .duplicateIdentifier(let path):
            "Two objects have the restoration path \(path): give each child of a parent an identifier of its own."
        case .pathTooLong(let path):
            "The restoration path \(path) has more than \(RestorationPath.maximumLength) identifiers: leave out some."
        case .valueTooDeep(let path, let key):
            "The value \(key) of \(path) has more than \(StoredValue.maximumDepth) arrays within each other."
        case .tooLarge(let bytes, let limit):
            "The state has \(bytes) bytes, and at most \(limit) can be saved: store identifiers of the model's objects"
                + " instead of the objects."
        }
    }
}
