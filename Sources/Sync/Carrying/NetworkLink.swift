import Interfaces
import NetworkPaths
import Platform
import Varlink

/// Watches by the daemon whether there is a network, so that the hub is tried at once when there is one again. Without the
/// daemon the attempts alone find that out.
@DaemonActor
final class NetworkLink {
    private let socket: String
    private let clock: any TimeSource
    private let onReturn: @DaemonActor () -> Void
    private var client: LoopClient?
    private var retry: TimerSource?
    private var pause = DoublingPause(first: .seconds(1), longest: .seconds(300))
    private var last: String?

    /// - Parameter onReturn: Called when there is a network by another route than before.
    init(socket: String, clock: any TimeSource, onReturn: @escaping @DaemonActor () -> Void) {
        self.socket = socket
        self.clock = clock
        self.onReturn = onReturn
        do throws(SystemError) {
            retry = try TimerSource(accuracy: .seconds(1)) { [weak self] in self?.connect() }
        } catch { Log.warning("the network is not watched: \(error)") }
        connect()
    }

    private func connect() {
        do throws(VarlinkError) {
            let client = try LoopClient(path: socket, clock: clock)
            client.onEnd = { [weak self] _ in self?.lost() }
            client.stream(ReachabilityInterface.MonitorPath()) { [weak self] result, _ in
                guard case .success(let reply) = result else { return }
                self?.pause.reset()
                self?.note(reply)
            }
            self.client = client
        } catch {
            lost()
        }
    }

    private func note(_ reply: ReachabilityInterface.MonitorPath.Reply) {
        let now = "\(reply.path)"
        defer { last = now }
        if let last, last != now, reply.path.status == .satisfied { onReturn() }
    }

    private func lost() {
        client = nil
        retry?.arm(after: pause.next())
    }
}
