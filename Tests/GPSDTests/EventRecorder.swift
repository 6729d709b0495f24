import GPSD
import Platform

/// Records the events of a connection, and waits for more.
@DaemonActor
final class EventRecorder {
    struct DeadlinePassed: Error {
        var events: [Connection.Event]
    }

    private(set) var events: [Connection.Event] = []
    private var isAwaited: (([Connection.Event]) -> Bool)?
    private var continuation: CheckedContinuation<Void, any Error>?
    private var timer: TimerSource?

    func add(_ event: Connection.Event) {
        events.append(event)
        if isAwaited?(events) == true { finish(.success(())) }
    }

    func forget() { events = [] }

    /// Waits until the events are as they should be, at most two minutes.
    func wait(until isAwaited: @escaping ([Connection.Event]) -> Bool) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            self.continuation = continuation
            // Looked at here, where nothing can happen in between.
            if isAwaited(events) {
                finish(.success(()))
                return
            }
            self.isAwaited = isAwaited
            do throws(SystemError) {
                timer = try TimerSource(accuracy: .milliseconds(1)) { [weak self] in
                    self?.finish(.failure(DeadlinePassed(events: self?.events ?? [])))
                }
                timer?.arm(after: .seconds(120))
            } catch {
                finish(.failure(error))
            }
        }
    }

    func waitForState(_ matches: @escaping (Session.State) -> Bool) async throws {
        try await wait { events in
            events.contains { if case .stateChanged(let state) = $0 { matches(state) } else { false } }
        }
    }

    var reports: [Report] {
        events.compactMap { if case .report(let report) = $0 { report } else { nil } }
    }

    private func finish(_ result: Result<Void, any Error>) {
        timer?.cancel()
        timer = nil
        isAwaited = nil
        let waiting = continuation
        continuation = nil
        waiting?.resume(with: result)
    }
}
