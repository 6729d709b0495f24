import Authorization
import Location
import Manifests
import Platform

// What is known of apps, prompts and decisions.

extension Authorizer {
    /// Whether location services are on.
    var areServicesOn: Bool { policy.areServicesOn }

    /// What is wrong with manifests, restrictions and what was stored.
    var problems: [String] { (loss.map { ["what was granted could not all be read: \($0)"] } ?? []) + library.problems }

    /// Whether something may be delivered to a client now: to be asked before every delivery.
    func decide(for session: ClientSession) -> Decision {
        decide(for: session, at: instant)
    }

    /// The same for many clients at one moment.
    func decide(for session: ClientSession, at now: Policy.Instant) -> Decision {
        Policy.decide(for: session.requester) { policy.decide(for: $0, at: now) }
    }

    /// Which rows of an app's recordings may leave now: to be asked before every reading, and before every reply.
    func decideRecorded(for app: AppID) -> RecordedDecision { policy.decideRecorded(for: app, at: instant) }

    /// Whether something may be delivered to a process now.
    func decide(for process: Policy.ProcessID) -> Decision { policy.decide(for: process, at: instant) }

    /// Whether a client could have had a full position that came at this moment of CLOCK_MONOTONIC, in nanoseconds, and any
    /// since. An operator could.
    func couldHaveFull(_ session: ClientSession, at monotonicNanoseconds: UInt64) -> Bool {
        guard let app = session.process?.app.id else { return session.isOperator }
        return policy.couldHaveFull(app, at: monotonicNanoseconds)
    }

    /// What a client is told of its authorization.
    func authorizationState(for session: ClientSession) -> AuthorizationState {
        Policy.authorizationState(for: session.requester) { policy.authorizationState(for: $0, at: instant) }
    }

    /// Whether the app of a client is in use.
    func isInUse(_ session: ClientSession) -> Bool { session.process.map { policy.isInUse($0.app.id) } ?? false }

    /// A position is due to an app in the background whose Always is still to be confirmed: the person is asked.
    func positionDue(to app: AppID) {
        if !isAskedTooOften(app) { send(.positionDue(app)) }
    }

    /// The prompts that nobody has answered, the oldest first.
    var prompts: [PromptSummary] {
        policy.prompts.map {
            PromptSummary(prompt: $0, isShown: policy.isShown($0), raisedAt: raisedAt[$0.id] ?? instant.utc)
        }
    }

    /// The apps there are: those with a manifest and those something is stored of; all, or those of this name or user.
    /// Templates are among them as what they are, and an instance that nobody has used where it is asked for.
    func apps(named name: String? = nil, uid: UInt32? = nil) -> [AppSummary] {
        var ids = Set(policy.grants.keys)
        for (uid, manifests) in policy.manifests.personal {
            for name in manifests.keys where !policy.manifests.isSystems(name) {
                ids.insert(AppID(uid: uid, name: name))
            }
        }
        var used: Set<String> = Set(ids.map(\.name))
        var unused: [String] = []
        for (name, manifest) in policy.manifests.shared where !InstanceName.isTemplate(name) {
            if manifest.binding.isSystems { ids.insert(AppID(uid: 0, name: name)) } else { unused.append(name) }
            if manifest.binding.isSystems { used.insert(name) }
        }
        if let name, InstanceName(name) != nil, !used.contains(name) {
            if let manifest = policy.manifests.shared(named: name) {
                if manifest.binding.isSystems { ids.insert(AppID(uid: 0, name: name)) } else { unused.append(name) }
            }
            for uid in policy.manifests.users(named: name) { ids.insert(AppID(uid: uid, name: name)) }
        }
        unused += policy.manifests.shared.keys.filter(InstanceName.isTemplate)
        let nobodys = unused.filter { !used.contains($0) }.map { summary(AppID(uid: .max, name: $0), uid: nil) }
        return (ids.map { summary($0, uid: $0.uid) } + nobodys)
            .filter { app in
                (name.map { $0 == app.name } ?? true) && (uid.map { app.uid == nil || app.uid == $0 } ?? true)
            }
            .sorted { ($0.name, $0.uid ?? 0) < ($1.name, $1.uid ?? 0) }
    }

    /// One app.
    func summary(of app: AppID) -> AppSummary { summary(app, uid: app.uid) }

    private func summary(_ app: AppID, uid: UInt32?) -> AppSummary {
        let authorizationState = policy.authorizationState(for: app, at: instant)
        let manifest = library.catalogue.manifest(app.name, uid: app.uid)
        // A template has a manifest, though it is no app that could want for one.
        let diagnostics = InstanceName.isTemplate(app.name) && manifest != nil ? [] : authorizationState.diagnostics
        return AppSummary(
            name: app.name, uid: uid, title: policy.manifests[app]?.name ?? manifest?.manifest.name,
            manifest: manifest?.path, status: authorizationState.status,
            accuracy: authorizationState.accuracy, diagnostics: diagnostics, grant: policy.grant(of: app),
            isInUse: policy.isInUse(app), processes: apps[app]?.processes.count ?? 0, assurance: apps[app]?.assurance,
            holds: holds.values.count { $0.app == app })
    }
}

extension ClientSession {
    /// As whom the gate knows it. A program that is an app is that app whoever runs it.
    var requester: Policy.Requester {
        if let process { return .process(process.id) }
        return isOperator ? .operator : .nobody
    }
}
