import Interfaces
import JSONText
import SyncInterface
import Varlink

/// Calls of `waymark-sync` about one container, with the errors of the records interface.
struct SyncClient: Sendable {
    /// The client of the socket of `waymark-sync`.
    let client: WaymarkClient
    /// The container's name; nil for the first one of the app's manifest.
    let container: String?
    /// The environment's name; nil for that of the manifest.
    let environment: String?

    init(socketPath: String?, container: String?, environment: String?) {
        client = WaymarkClient(socketPath: socketPath ?? SyncInterface.defaultSocket)
        self.container = container
        self.environment = environment
    }

    /// Makes a call. Cancelling the task ends it.
    ///
    /// - Throws: A `RecordError`, or `CancellationError`.
    func call<Method: VarlinkMethod>(_ method: Method) async throws -> Method.Reply
    where Method.Failure == SyncInterface.Failure {
        do { return try await client.reply(to: method, more: false) } catch let error as WaymarkError {
            throw RecordError(error)
        }
    }

    /// What has changed in the copy after a revision.
    func changes(since revision: Int64, of copy: String?, limit: Int?) -> SyncInterface.GetChanges {
        SyncInterface.GetChanges(
            container: container, environment: environment, since: revision, limit: limit.map(Int64.init), copy: copy)
    }

    /// Waits on a thread of its own until the copy has changes after a revision, or the call fails, and calls the completion
    /// once then. `stop` of the returned call ends it earlier, without calling the completion. A `waymark-sync` that is unavailable is waited for.
    func watchChanges(
        since revision: Int64, of copy: String?, _ completion: @escaping @Sendable (WaymarkError?) -> Void
    ) -> CallThread {
        let thread = CallThread()
        thread.start(
            name: "waymark-records", client, changes(since: revision, of: copy, limit: 1), lasting: .always
        ) { reply in
            guard !reply.changes.isEmpty || reply.reset else { return true }
            completion(nil)
            return false
        } onEnd: { error in
            if let error { completion(error) }
        }
        return thread
    }
}
