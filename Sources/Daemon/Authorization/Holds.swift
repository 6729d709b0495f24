import Authorization
import Location
import Platform

/// The background activity sessions (`HoldInUse`) that clients have begun.
@DaemonActor
final class Holds {
    private struct Hold {
        var app: AppID
        var process: Policy.ProcessID
        weak var session: ClientSession?
    }

    private let authorizer: Authorizer
    private let changes: Changes
    private var open: [Policy.HoldID: Hold] = [:]

    init(authorizer: Authorizer, changes: Changes) {
        self.authorizer = authorizer
        self.changes = changes
    }

    /// Begins a session; nil if the client's app is not in use. A session that continues after a restart may be what
    /// keeps its app in use.
    func begin(of session: ClientSession, isResumed: Bool = false) -> Policy.HoldID? {
        guard let process = session.process else { return nil }
        let id = authorizer.newNumber()
        open[id] = Hold(app: process.app.id, process: process.id, session: session)
        let effects = authorizer.send(isResumed ? .holdResumed(id, by: process.id) : .holdBegan(id, by: process.id))
        guard !effects.contains(.holdRefused(id)) else {
            open[id] = nil
            return nil
        }
        changes.report(.holdsChanged(uid: process.app.id.uid))
        if isResumed { authorizer.send(.wentOn(process.id)) }
        return id
    }

    /// Ends a session at its client's request, or after the policy has ended it together with the identification of its process.
    func end(_ id: Policy.HoldID) {
        guard let hold = open.removeValue(forKey: id) else { return }
        authorizer.send(.holdEnded(id))
        changes.report(.holdsChanged(uid: hold.app.uid))
    }

    /// Removes a session that the policy has refused.
    func forget(_ id: Policy.HoldID) { open[id] = nil }

    /// Ends the sessions of a process.
    func end(of process: ClientProcess) { end { $0.process == process.id } }

    /// Ends the sessions of a connection.
    func end(of session: ClientSession) { end { $0.session === session } }

    private func end(where isOver: (Hold) -> Bool) {
        for (id, hold) in open where isOver(hold) {
            end(id)
            changes.report(.holdLost(id))
        }
    }

    /// The number of an app's sessions.
    func count(of app: AppID) -> Int { open.values.count { $0.app == app } }

    /// The sessions that the person is notified of: those of a user's apps that may receive positions now, the oldest
    /// first. A session by itself discloses nothing.
    func summaries(of uid: UInt32) -> [HoldSummary] {
        open.sorted { $0.key < $1.key }.map(\.value.app).filter { $0.uid == uid && mayReceivePositions($0) }.map {
            app in
            HoldSummary(app: app, title: authorizer.policy.manifests[app]?.name ?? LocalizedText(app.name))
        }
    }

    private func mayReceivePositions(_ app: AppID) -> Bool {
        authorizer.policy.decide(for: app, at: authorizer.instant).refusal == nil
    }
}
