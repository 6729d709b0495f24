/// All manifests there are.
public struct ManifestCatalogue: Equatable, Sendable {
    /// By app id: the machine's, for every user.
    public var shared: [String: Manifest]
    /// By uid and app id: a user's own, which win over the machine's.
    public var personal: [UInt32: [String: Manifest]]
    /// By uid: the app ids of which a user has a file that does not count, which takes the machine's away from that user.
    public var hidden: [UInt32: Set<String>]

    /// A catalogue of these manifests.
    public init(
        shared: [String: Manifest] = [:], personal: [UInt32: [String: Manifest]] = [:],
        hidden: [UInt32: Set<String>] = [:]
    ) {
        self.shared = shared
        self.personal = personal
        self.hidden = hidden
    }

    /// The manifest of an app, nil where it has none.
    public subscript(app: AppID) -> Manifest? {
        if let own = personal[app.uid]?[app.name] { return own }
        if let hidden = hidden[app.uid], hidden.contains(app.name) { return nil }
        return shared[app.name]
    }
}
