import Authorization
import Interfaces
import Location
import Manifests
import Platform

/// Information about all apps, for operators and the status.
@DaemonActor
struct AppDirectory {
    let authorizer: Authorizer
    let clients: Clients
    let holds: Holds
    let wakes: WakeRegistry

    private var policy: Policy { authorizer.policy }
    private var library: ManifestLibrary { clients.library }

    /// The problems of manifests, of restrictions and of stored decisions.
    var problems: [String] {
        (authorizer.loss.map { ["some grants could not be read: \($0)"] } ?? []) + library.problems
    }

    /// The apps with a manifest or with stored decisions; all, or those with this name or user. The list includes
    /// templates, and an instance that has not been used if its name is given.
    func apps(named name: String? = nil, uid: UInt32? = nil) -> [AppSummary] {
        let (used, unused) = known(name)
        return (used.map { summary($0, uid: $0.uid) } + unused.map { summary(AppID(uid: .max, name: $0), uid: nil) })
            .filter { app in
                (name.map { $0 == app.name } ?? true) && (uid.map { app.uid == nil || app.uid == $0 } ?? true)
            }
            .sorted { ($0.name, $0.uid ?? 0) < ($1.name, $1.uid ?? 0) }
    }

    /// The apps of users and of the system, and the names of manifests that have not been used, including the instance
    /// with this name.
    private func known(_ instance: String? = nil) -> (used: Set<AppID>, unused: [String]) {
        let manifests = policy.manifests
        var used = Set(policy.grants.keys)
        for (uid, own) in manifests.personal {
            for name in own.keys where !manifests.isSystems(name) { used.insert(AppID(uid: uid, name: name)) }
        }
        var unused: [String] = []
        func add(_ name: String, _ manifest: Manifest) {
            if manifest.binding.isSystems, !InstanceName.isTemplate(name) {
                used.insert(AppID(uid: 0, name: name))
            } else {
                unused.append(name)
            }
        }
        for (name, manifest) in manifests.shared { add(name, manifest) }
        let names = Set(used.map(\.name))
        if let name = instance, InstanceName(name) != nil, !names.contains(name) {
            if let manifest = manifests.shared(named: name) { add(name, manifest) }
            for uid in manifests.users(named: name) { used.insert(AppID(uid: uid, name: name)) }
        }
        return (used, unused.filter { !names.contains($0) })
    }

    /// The summary of one app.
    func summary(of app: AppID) -> AppSummary { summary(app, uid: app.uid) }

    private func summary(_ app: AppID, uid: UInt32?) -> AppSummary {
        let authorizationState = policy.authorizationState(for: app, at: authorizer.instant)
        let manifest = library.catalogue.manifest(app.name, uid: app.uid)
        let running = clients.app(app)
        // A template has a manifest, although it is no app, so the diagnostics of an app do not apply to it.
        let diagnostics = InstanceName.isTemplate(app.name) && manifest != nil ? [] : authorizationState.diagnostics
        return AppSummary(
            name: app.name, uid: uid, title: policy.manifests[app]?.name ?? manifest?.manifest.name,
            manifest: manifest?.path, status: authorizationState.status,
            accuracy: authorizationState.accuracy, diagnostics: diagnostics, grant: policy.grant(of: app),
            isInUse: policy.isInUse(app), processes: running?.processes.count ?? 0, assurance: running?.assurance,
            holds: holds.count(of: app), trackingStatus: policy.trackingStatus(of: app),
            trackingGrant: policy.trackingGrant(of: app), waking: uid == nil ? nil : wakes.status(of: app))
    }

    /// The part of the status about authorization.
    func status(agents: Int) -> DaemonStatus.Authorization {
        let (used, unused) = known()
        let unnoticed = library.watchProblems
        return DaemonStatus.Authorization(
            servicesEnabled: policy.areServicesOn, apps: Int64(used.count + unused.count),
            inUse: Int64(policy.grants.keys.count { policy.isInUse($0) }), requests: Int64(policy.prompts.count),
            agents: Int64(agents), problems: Int64(library.mistakes.count), loss: authorizer.loss,
            problem: unnoticed.isEmpty ? nil : unnoticed.joined(separator: "; "),
            suspendedUsers: clients.suspensions.keys.sorted())
    }
}
