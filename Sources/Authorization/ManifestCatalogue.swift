/// All manifests there are.
public struct ManifestCatalogue: Equatable, Sendable {
    /// By app id: the machine's, for every user.
    public var shared: [String: Manifest]
    /// By uid and app id: a user's own, which win over the machine's.
    public var personal: [UInt32: [String: Manifest]]
    /// By uid: the app ids of which a user has a file that does not count, which takes the machine's away from that user.
    public var hidden: [UInt32: Set<String>]

    /// The app ids of which the machine has a file that does not count, which takes the template's away from them.
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

    /// The manifest of an app, nil where it has none: its own, or its template's where it is an instance of one.
    public subscript(app: AppID) -> Manifest? {
        if InstanceName.isTemplate(app.name) { return nil }
        if let own = personal[app.uid]?[app.name] { return own }
        if let hidden = hidden[app.uid], hidden.contains(app.name) { return nil }
        if let exact = shared[app.name] { return exact }
        guard let name = InstanceName(app.name), !masked.contains(app.name) else { return nil }
        if let own = personal[app.uid]?[name.template] { return own.instance(name.instance) }
        if let hidden = hidden[app.uid], hidden.contains(name.template) { return nil }
        return shared[name.template]?.instance(name.instance)
    }

    /// The machine's manifest of an app of this name, whoever's it is.
    public func shared(named name: String) -> Manifest? {
        ManifestCatalogue(shared: shared, masked: masked)[AppID(uid: .max, name: name)]
    }

    /// The users with a manifest of their own for an app of this name.
    public func users(named name: String) -> [UInt32] {
        let template = InstanceName(name)?.template
        return personal.filter { uid, own in
            if own[name] != nil { return true }
            let isTemplates = hidden[uid]?.contains(name) != true && shared[name] == nil && !masked.contains(name)
            return isTemplates && template.map { own[$0] != nil } ?? false
        }.map(\.key)
    }
}
