import Authorization

/// Whose apps a program serves: `waymark-waker` or an agent starts their services, `waymark-sync` reports their pushes.
enum WakeScope: Hashable {
    /// Those of the machine.
    case machine
    /// Those of a user.
    case user(UInt32)

    /// The scope to which an app belongs; nil without a manifest.
    init?(of app: AppID, in manifests: ManifestCatalogue) {
        guard let manifest = manifests[app] else { return nil }
        self = manifest.binding.isSystems ? .machine : .user(app.uid)
    }

    /// An app with this name.
    func app(_ name: String) -> AppID {
        switch self {
        case .machine: AppID(uid: 0, name: name)
        case .user(let uid): AppID(uid: uid, name: name)
        }
    }

    /// All apps of this scope that have a manifest of their own, by name.
    func apps(in manifests: ManifestCatalogue) -> [AppID] {
        var names = Set(manifests.shared.keys)
        if case .user(let uid) = self { names.formUnion(manifests.personal[uid]?.keys ?? [:].keys) }
        return names.sorted().map(app).filter { WakeScope(of: $0, in: manifests) == self }
    }
}
