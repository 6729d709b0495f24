import Interfaces
import Platform
import Varlink

/// Reports to the daemon, on a connection of their own: in order, and again after a loss of the connection.
@DaemonActor
final class WakerReports {
    private struct Report {
        let send: @DaemonActor (LoopClient, @escaping @DaemonActor (Bool) -> Void) -> Void
        let done: @DaemonActor () -> Void
    }

    private let socketPath: String
    private var client: LoopClient?
    private var reports: [Report] = []
    private var isSending = false
    private var retry: TimerSource?
    private var pause = DoublingPause(first: .milliseconds(200), longest: .seconds(30))

    /// The most reports that wait for a daemon. Of more, the oldest are dropped, except the one that is being sent: the
    /// completion of its call removes the first report. The daemon gives orders again anyway.
    private let most: Int
    private static let patience = Duration.seconds(10)

    /// Reports to the daemon at this socket.
    init(socketPath: String, most: Int = 1_024) throws(SystemError) {
        self.socketPath = socketPath
        self.most = most
        retry = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.proceed() }
    }

    /// Reports something. `done` is called when the daemon has handled it.
    func report<Method: VarlinkMethod>(_ method: Method, done: @escaping @DaemonActor () -> Void = {}) {
        reports.append(
            Report(
                send: { client, completion in
                    client.call(method, timeout: Self.patience) { result in
                        // An error of the daemon is an answer, too: it does not want the report.
                        switch result {
                        case .success, .failure(.reply): completion(true)
                        case .failure: completion(false)
                        }
                    }
                }, done: done))
        if reports.count > most { reports.remove(at: isSending ? 1 : 0) }
        proceed()
    }

    /// Sends the next report, if the daemon can be reached. Otherwise it is tried again later.
    func proceed() {
        guard !isSending, let report = reports.first else { return }
        guard let client = connected() else { return tryLater() }
        isSending = true
        report.send(client) { [weak self] isHandled in
            guard let self else { return }
            isSending = false
            guard isHandled else {
                self.client?.close()
                self.client = nil
                return tryLater()
            }
            pause.reset()
            reports.removeFirst()
            report.done()
            proceed()
        }
    }

    private func tryLater() {
        if retry?.isArmed == false { retry?.arm(after: pause.next()) }
    }

    private func connected() -> LoopClient? {
        if let client { return client }
        do throws(VarlinkError) {
            let client = try LoopClient(path: socketPath)
            client.onEnd = { [weak self, weak client] _ in
                if let self, self.client === client { self.client = nil }
            }
            self.client = client
        } catch {
            Log.debug("the daemon cannot be reached for a report: \(error)")
        }
        return client
    }
}
