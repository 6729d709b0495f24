/// All installed manifests.
public struct ManifestCatalogue: Equatable, Sendable {
    /// The machine's manifests by app id; they apply to every user.
    public var shared: [String: Manifest]
    /// Users' own manifests by uid and app id. One with the id of a machine's manifest is ignored.
    public var personal: [UInt32: [String: Manifest]]
    /// By uid, the app ids for which the user has a file, even an invalid one: such a file hides the user's template.
    public var hidden: [UInt32: Set<String>]

    /// The app ids for which the machine has a file without a valid manifest, such as an empty one. It hides the
    /// template's manifest and every user's.
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

    /// Whether the machine has a file with an app's name or its template's name, even one that only removes the app.
    /// Then users' own manifests of this name are ignored.
    public func isSystems(_ name: String) -> Bool {
        shared[name] != nil || masked.contains(name)
            || InstanceName(name).map { shared[$0.template] != nil || masked.contains($0.template) } ?? false
    }

    /// The manifest of an app, nil if it has none: its own, or for an instance its template's. If the machine has one,
    /// only that applies.
    public subscript(app: AppID) -> Manifest? {
        if InstanceName.isTemplate(app.name) { return nil }
        if let exact = shared[app.name] { return exact }
        guard !masked.contains(app.name) else { return nil }
        let name = InstanceName(app.name)
        if let name, let template = shared[name.template] { return template.instance(name.instance) }
        return isSystems(app.name) ? nil : personalManifest(app)
    }

    /// The user's own manifest of an app, even if it is ignored.
    func personalManifest(_ app: AppID) -> Manifest? {
        if let own = personal[app.uid]?[app.name] { return own }
        guard let name = InstanceName(app.name), hidden[app.uid]?.contains(app.name) != true else { return nil }
        return personal[app.uid]?[name.template]?.instance(name.instance)
    }

    /// The containers whose records an app may synchronize.
    public func containers(of app: AppID) -> [SyncedContainer] {
        self[app]?.permittedContainers(isMachines: isSystems(app.name), machines: shared.values) ?? []
    }

    /// Whether the app depends on a file of its user: without that file it would have another manifest or none.
    public func isPersonal(_ app: AppID) -> Bool {
        guard personal[app.uid] != nil, let manifest = self[app] else { return false }
        return ManifestCatalogue(shared: shared, masked: masked)[app] != manifest
    }

    /// The machine's manifest for an app with this name, of any user.
    public func shared(named name: String) -> Manifest? {
        ManifestCatalogue(shared: shared, masked: masked)[AppID(uid: .max, name: name)]
    }

    /// The users with an own manifest of this name that is not ignored.
    public func users(named name: String) -> [UInt32] {
        guard !isSystems(name) else { return [] }
        return personal.keys.filter { personalManifest(AppID(uid: $0, name: name)) != nil }
    }
}
