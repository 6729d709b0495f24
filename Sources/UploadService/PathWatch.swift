import Interfaces
import Platform
import Varlink

/// The daemon's reports of the network path to an uploader's destination, over a connection of its own.
@DaemonActor
final class PathWatch {
    /// The destination; nil if there is none to watch.
    var target: ReachabilityInterface.MonitorTarget?
    /// Opens a connection to the daemon; nil if that fails, or while the uploader is not connected.
    var connect: @DaemonActor () -> LoopClient? = { nil }
    /// Called with each report.
    var onReport: @DaemonActor (DaemonEvent) -> Void = { _ in }

    private let patience: Duration
    private let retry: Duration
    private let clock: any TimeSource
    private var client: LoopClient?
    private var timer: TimerSource?

    /// - Parameters:
    ///   - patience: The time limit for the first reply.
    ///   - retry: The pause after which reports are requested again that the daemon has ended or refused.
    init(patience: Duration, retry: Duration, clock: any TimeSource) throws(SystemError) {
        self.patience = patience
        self.retry = retry
        self.clock = clock
        timer = try TimerSource(accuracy: .seconds(1)) { [weak self] in self?.begin() }
    }

    /// Requests the reports for the present destination.
    func begin() {
        end()
        guard let target, let client = connect() else { return }
        self.client = client
        client.stream(target, timeout: patience) { [weak self] result, continues in
            guard let self else { return }
            switch result {
            case .success(let reply):
                onReport(.path(reply.target))
                if !continues { timer?.arm(after: retry, clock: clock) }
            case .failure(.reply):
                // Another network, too many hosts, or no routing sockets: sending is tried without path reports.
                onReport(.pathUnavailable)
                timer?.arm(after: retry, clock: clock)
            case .failure: break
            }
        }
    }

    /// Ends the reports until `begin`.
    func end() {
        client?.close()
        client = nil
        timer?.disarm()
    }

    /// Ends the reports for good.
    func cancel() {
        end()
        timer?.cancel()
    }
}
