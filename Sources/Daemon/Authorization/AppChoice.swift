import Authorization

/// The app to which the name in an operator's command refers.
enum AppChoice: Equatable {
    /// This app.
    case app(AppID)
    /// No manifest has the name, and nothing is stored for it.
    case unknown
    /// It is the name of a template, which is no app.
    case template
    /// The app is identified only by its system unit or its socket, so it belongs to no user, although one was named.
    case systems
    /// The user has to be named: these users have the app, or, if the list is empty, it has not been used yet.
    case userNeeded([UInt32])

    /// Resolves a name: to the app of the given user; otherwise to the system's app if the machine's manifest has a
    /// system unit or a socket; otherwise to the app of its only user. `known` are the apps that run or have stored
    /// decisions. An app that no process can be any more is found only so that its stored decisions can be reset.
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
