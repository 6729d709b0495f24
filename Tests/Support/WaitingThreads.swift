import Platform
import Synchronization

/// Threads for tests that hold theirs while they wait for other processes: more of them than there are processors, which
/// is as many as Swift has for everything else. A thread lives as long as there is something to run.
///
/// What came last is run first: a test that has begun goes on before others begin, as its time limit is running.
public final class WaitingThreads: TaskExecutor {
    /// Those that all tests share: so many as keep two processors busy with what the tests have started.
    public static let shared = WaitingThreads(limit: 4)

    private struct State {
        var jobs: [UnownedJob] = []
        var threads = 0
    }

    private let state = Mutex(State())
    private let limit: Int

    /// At most so many at once.
    init(limit: Int) { self.limit = limit }

    /// Takes a job of a task that prefers these threads. It is taken however many wait: a refused one would suspend its
    /// task for ever.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = state.withLock { state in
            state.jobs.append(job)
            guard state.threads < limit else { return false }
            state.threads += 1
            return true
        }
        guard needsThread else { return }
        do throws(SystemError) {
            try DetachedThread.start(name: "waiting") { [self] in
                while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
            }
        } catch {
            preconditionFailure("no thread for a test: \(error)")
        }
    }

    /// The job that came last; where there is none the calling thread is counted out.
    private func next() -> UnownedJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.threads -= 1
                return nil
            }
            return state.jobs.removeLast()
        }
    }
}
