import Glibc
import Platform

/// Runs the main event loop on a thread of its own for as long as the tests run.
public enum LoopThread {
    private static let started: Bool = {
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { _ in
                // One loop serves the daemons of all tests that run at the same time, beside as many threads that compute.
                // Without a larger share of the processor than one of these a reply can take longer than the ten seconds for
                // which a program waits. Only root may have it.
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -10)
                EventLoop.main.run()
                return nil
            }, nil)
        return status == 0
    }()

    /// Starts it where it does not run yet. Every suite that touches `DaemonActor` calls it in its `init`.
    public static func start() {
        precondition(started, "no thread for the event loop")
    }
}

/// Waits on the loop itself, by a timer.
@DaemonActor public func elapsed(_ duration: Duration) async throws {
    var timer: TimerSource?
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        do throws(SystemError) {
            timer = try TimerSource(accuracy: .microseconds(1)) { continuation.resume() }
            timer?.arm(after: duration)
        } catch {
            continuation.resume(throwing: error)
        }
    }
    timer?.cancel()
}
