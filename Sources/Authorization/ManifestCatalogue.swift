/// All manifests there are.
public struct ManifestCatalogue: Equatable, Sendable {
    /// By app id: the machine's, for every user.
    public var shared: [String: Manifest]
    /// By uid and app id: a user's own, which win over the machine's.
    public var personal: [UInt32: [String: Manifest]]

    /// A catalogue of these manifests.
    public init(shared: [String: Manifest] = [:], personal: [UInt32: [String: Manifest]] = [:]) {
        self.shared = shared
        self.personal = personal
    }

    /// The manifest of an app, nil where it has none.
    public subscript(app: AppID) -> Manifest? {
        personal[app.uid]?[app.name] ?? shared[app.name]
    }
}
