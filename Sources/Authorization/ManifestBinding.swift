/// By what the processes of an app are known: the identity keys of its manifest and their values.
///
/// A grant holds for the binding under which it was given, and for no other.
public struct ManifestBinding: Hashable, Sendable {
    /// The keys that the manifest has.
    public let values: [IdentityKey: String]

    /// A binding by these keys.
    public init(_ values: [IdentityKey: String]) {
        self.values = values
    }

    /// One text for it, the same whenever it is equal and only then: to be stored beside a grant.
    public var digest: String {
        IdentityKey.allCases.compactMap { key in
            values[key].map { "\(key.rawValue)=\($0.utf8.count):\($0)" }
        }.joined(separator: ";")
    }
}
