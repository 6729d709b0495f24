import Authorization
import Interfaces

extension Authorizer {
    /// What status tells of it.
    func status(agents: Int) -> DaemonStatus.Authorization {
        var status = DaemonStatus.Authorization()
        let known = policy.grants.keys
        status.areServicesEnabled = areServicesOn
        status.apps = countApps(known)
        status.inUse = known.count { policy.isInUse($0) }
        status.requests = policy.prompts.count
        status.agents = agents
        status.problems = library.mistakes.count
        let unnoticed = library.watchProblems
        status.problem = unnoticed.isEmpty ? nil : unnoticed.joined(separator: "; ")
        status.loss = loss
        status.suspendedUsers = suspensions.keys.sorted()
        return status
    }

    /// As many as `apps()` tells, without all that it tells of each: there may be thousands of manifests.
    private func countApps(_ known: some Collection<AppID>) -> Int {
        var ids = Set(known)
        for (uid, own) in policy.manifests.personal {
            for name in own.keys where !policy.manifests.isSystems(name) {
                ids.insert(AppID(uid: uid, name: name))
            }
        }
        let names = Set(ids.map(\.name))
        return policy.manifests.shared.reduce(ids.count) { count, entry in
            let isCounted =
                InstanceName.isTemplate(entry.key)
                ? false
                : entry.value.binding.isSystems
                    ? ids.contains(AppID(uid: 0, name: entry.key)) : names.contains(entry.key)
            return isCounted ? count : count + 1
        }
    }
}
