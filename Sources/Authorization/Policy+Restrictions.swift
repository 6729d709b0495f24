import Location

// Restrictions apply to processes by their identity, whatever names their users give to them.

extension Policy {
    /// Whether an app is refused everything, whatever was decided for it. Either its user is suspended, or root's
    /// restrictions deny it: by its name, by another manifest that fits one of its processes, or by a denied app's
    /// manifest that names the same unit, program or Flatpak app.
    func isRestricted(_ app: AppID, fitted: Set<String>) -> Bool {
        suspendedUsers.contains(app.uid) || restrictions.denies(app, isSystems: manifests.isSystems(app.name))
            || restrictions.denies(fitting: fitted) || sharesProcessesWithDenied(app)
    }

    private func sharesProcessesWithDenied(_ app: AppID) -> Bool {
        guard !restrictions.deniedApps.isEmpty, let own = manifests[app]?.binding.values else { return false }
        return restrictions.deniedApps.contains { name in
            let others = [manifests.shared(named: name), manifests.personalManifest(AppID(uid: app.uid, name: name))]
            return others.contains { $0?.binding.values.contains { own[$0.key] == $0.value } ?? false }
        }
    }

    /// Evaluates again whether an app is restricted. An app without a process is restricted if its last process was,
    /// because its recordings belong to that process.
    mutating func refreshRestriction(of app: AppID) {
        guard let state = apps[app] else { return }
        let fitted = state.processes.reduce(into: state.processes.isEmpty ? state.lastFitted : []) { names, id in
            names.formUnion(processes[id]?.process.fitted ?? [])
        }
        let isRestricted = isRestricted(app, fitted: fitted)
        guard isRestricted != state.isRestricted else { return }
        apps[app]?.isRestricted = isRestricted
        batch.touched.insert(app)
    }

    /// Updates the names of the manifests that fit a process.
    mutating func fit(_ id: ProcessID, _ names: Set<String>) {
        guard let app = processes[id]?.process.app else { return }
        processes[id]?.process.fitted = names
        refreshRestriction(of: app)
    }
}
