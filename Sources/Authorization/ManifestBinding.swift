/// How an app's processes are identified: the identity keys of its manifest with their values.
///
/// A grant is valid only for the binding under which it was given.
public struct ManifestBinding: Hashable, Sendable {
    /// The keys of the manifest and their values.
    public let values: [IdentityKey: String]

    /// A binding with these keys.
    public init(_ values: [IdentityKey: String]) {
        self.values = values
    }

    /// A text that is equal for equal bindings only, to be stored with a grant.
    public var digest: String {
        IdentityKey.allCases.compactMap { key in
            values[key].map { "\(key.rawValue)=\($0.utf8.count):\($0)" }
        }.joined(separator: ";")
    }
}
