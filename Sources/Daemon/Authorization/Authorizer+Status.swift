import Authorization
import Interfaces

extension Authorizer {
    /// What status tells of it.
    func status(agents: Int) -> DaemonStatus.Authorization {
        let known = policy.grants.keys
        let unnoticed = library.watchProblems
        return DaemonStatus.Authorization(
            servicesEnabled: areServicesOn, apps: Int64(countApps(known)),
            inUse: Int64(known.count { policy.isInUse($0) }), requests: Int64(policy.prompts.count),
            agents: Int64(agents), problems: Int64(library.mistakes.count), loss: loss,
            problem: unnoticed.isEmpty ? nil : unnoticed.joined(separator: "; "),
            suspendedUsers: suspensions.keys.sorted())
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
