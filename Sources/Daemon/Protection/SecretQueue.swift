import Platform

/// Runs what derives keys from passphrases, one after the other on a thread: each of them needs 256 MiB. Every lock has one at most
/// in it, so that a user who tries one secret after the other delays others by a second, and not for good.
@DaemonActor
final class SecretQueue {
    private struct Job {
        let body: @Sendable () -> Void
        let fail: @DaemonActor (SystemError) -> Void
    }

    /// The most that wait.
    static let most = 256

    private var pending: [Job] = []
    private var isRunning = false

    /// Runs a body when those before it have ended. False if too many wait.
    func add(
        _ body: @escaping @Sendable () -> Void, orFail fail: @escaping @DaemonActor (SystemError) -> Void
    ) -> Bool {
        guard pending.count < Self.most else { return false }
        pending.append(Job(body: body, fail: fail))
        runNext()
        return true
    }

    private func runNext() {
        while !isRunning, !pending.isEmpty {
            let job = pending.removeFirst()
            isRunning = true
            do throws(SystemError) {
                try DetachedThread.start(name: "passphrase") { [weak self] in
                    job.body()
                    DaemonActor.post { self?.ended() }
                }
            } catch {
                isRunning = false
                job.fail(error)
            }
        }
    }

    private func ended() {
        isRunning = false
        runNext()
    }
}
