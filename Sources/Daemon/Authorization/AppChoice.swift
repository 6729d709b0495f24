import Authorization

/// Which app an operator means.
enum AppChoice: Equatable {
    /// This one.
    case app(AppID)
    /// No manifest has the name, and nothing is stored of it.
    case unknown
    /// It is the name of a template, and no app's.
    case template
    /// It is known by its system unit or its socket alone, and so no user's, though one was named.
    case systems
    /// Several users have it, these, or nobody has used it yet.
    case userNeeded([UInt32])

    /// The app of this name: of the user where one is given; the system's where the machine's manifest names a system unit
    /// or a socket; else the only user's who has it. `known` are the apps that run or of which something is stored; what is
    /// stored of an app that no program can be is found only to be forgotten.
    init(
        named name: String, uid: UInt32?, manifests: ManifestCatalogue, known: some Sequence<AppID>,
        isToBeForgotten: Bool = false
    ) {
        if InstanceName.isTemplate(name) {
            let isKnown = manifests.shared[name] != nil || manifests.personal.values.contains { $0[name] != nil }
            self = isKnown ? .template : .unknown
            return
        }
        var users = Set(known.lazy.filter { $0.name == name }.map(\.uid))
        if let uid {
            let app = AppID(uid: uid, name: name)
            let isSystems = uid != 0 && manifests[app]?.binding.isSystemsOnly == true
            if isSystems, !(isToBeForgotten && users.contains(uid)) {
                self = .systems
                return
            }
            self = users.contains(uid) || manifests[app] != nil ? .app(app) : .unknown
            return
        }
        let shared = manifests.shared(named: name)
        if let shared, shared.binding.isSystems {
            self = .app(AppID(uid: 0, name: name))
            return
        }
        users.formUnion(manifests.users(named: name))
        if users.count == 1, let uid = users.first {
            self = .app(AppID(uid: uid, name: name))
        } else {
            self = users.isEmpty && shared == nil ? .unknown : .userNeeded(users.sorted())
        }
    }
}
