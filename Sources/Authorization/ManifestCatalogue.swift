/// All manifests there are.
public struct ManifestCatalogue: Equatable, Sendable {
    /// By app id: the machine's, for every user.
    public var shared: [String: Manifest]
    /// By uid and app id: a user's own. One whose id is the machine's does not count.
    public var personal: [UInt32: [String: Manifest]]
    /// By uid: the app ids of which a user has a file, be it one that does not count: the user's template is not theirs.
    public var hidden: [UInt32: Set<String>]

    /// The app ids of which the machine has a file that does not count, which takes the template's and every user's away from
    /// them.
    public var masked: Set<String>

    /// A catalogue of these manifests.
    public init(
        shared: [String: Manifest] = [:], personal: [UInt32: [String: Manifest]] = [:],
        hidden: [UInt32: Set<String>] = [:], masked: Set<String> = []
    ) {
        self.shared = shared
        self.personal = personal
        self.hidden = hidden
        self.masked = masked
    }

    /// Whether the machine decides what an app of this name is: it has a file of that name or of its template's, be it one
    /// that only takes the app away.
    public func isSystems(_ name: String) -> Bool {
        shared[name] != nil || masked.contains(name)
            || InstanceName(name).map { shared[$0.template] != nil || masked.contains($0.template) } ?? false
    }

    /// The manifest of an app, nil where it has none: its own, or its template's where it is an instance of one. The
    /// machine's is the only one of an app of which the machine has one.
    public subscript(app: AppID) -> Manifest? {
        if InstanceName.isTemplate(app.name) { return nil }
        if let exact = shared[app.name] { return exact }
        guard !masked.contains(app.name) else { return nil }
        let name = InstanceName(app.name)
        if let name, let template = shared[name.template] { return template.instance(name.instance) }
        return isSystems(app.name) ? nil : personalManifest(app)
    }

    /// The user's own manifest of an app, whether it counts or not.
    func personalManifest(_ app: AppID) -> Manifest? {
        if let own = personal[app.uid]?[app.name] { return own }
        guard let name = InstanceName(app.name), hidden[app.uid]?.contains(app.name) != true else { return nil }
        return personal[app.uid]?[name.template]?.instance(name.instance)
    }

    /// Whether an app is what it is by a file of its user's own: without that file it would have another manifest or none.
    public func isPersonal(_ app: AppID) -> Bool {
        guard personal[app.uid] != nil, let manifest = self[app] else { return false }
        return ManifestCatalogue(shared: shared, masked: masked)[app] != manifest
    }

    /// The machine's manifest of an app of this name, whoever's it is.
    public func shared(named name: String) -> Manifest? {
        ManifestCatalogue(shared: shared, masked: masked)[AppID(uid: .max, name: name)]
    }

    /// The users with a manifest of their own for an app of this name, that counts.
    public func users(named name: String) -> [UInt32] {
        guard !isSystems(name) else { return [] }
        return personal.keys.filter { personalManifest(AppID(uid: $0, name: name)) != nil }
    }
}
