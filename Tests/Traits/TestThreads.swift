import Glibc
import Platform
import Synchronization

/// Threads for tests that block or occupy them for seconds: because they wait for other processes, or because they compute.
///
/// Swift's own pool has one thread per processor. Such tests would leave none for anything else, and every other test, as well as the
/// tasks of the library that it tests, would wait for them.
/// The number of tests that run at once is limited, not the number of threads: a test that has begun and
/// awaits something must continue as soon as its result is there, because its time limit and the deadlines of the
/// programs that it started are running.
public final class TestThreads: TaskExecutor {
    /// For tests that wait. Eight tests at once keep two processors busy with the programs that they start.
    public static let waiting = TestThreads(testsAtOnce: 8)
    /// For tests that compute.
    public static let computing = TestThreads(testsAtOnce: 2)

    private struct State {
        var freePlaces: Int
        var queue: [CheckedContinuation<Void, Never>] = []
        var idleThreads: [TestThread] = []
    }

    private let state: Mutex<State>

    /// Runs at most `testsAtOnce` tests at the same time.
    init(testsAtOnce: Int) { state = Mutex(State(freePlaces: testsAtOnce)) }

    /// Runs a test on these threads once one of the places is free. Tests get their places in the order of their
    /// calls.
    public func run(_ test: () async throws -> Void) async throws {
        await enter()
        defer { leave() }
        try await withTaskExecutorPreference(self) { try await test() }
    }

    /// Runs a job of a test immediately: on an idle thread, or on a new one.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let thread = state.withLock({ $0.idleThreads.popLast() }) { return thread.wake(for: job) }
        do throws(SystemError) {
            try DetachedThread.start(name: "test") { [self] in
                let thread = TestThread(job)
                // Threads are used again, as each new one consumes a process ID: with very many of them a test that
                // finds a process by its ID would find another one.
                while true {
                    thread.job.runSynchronously(on: asUnownedTaskExecutor())
                    state.withLock { $0.idleThreads.append(thread) }
                    thread.sleep()
                }
            }
        } catch {
            // A job that is refused would suspend its task permanently.
            preconditionFailure("no thread for a test: \(error)")
        }
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let entersNow = state.withLock { state in
                guard state.freePlaces > 0 else {
                    state.queue.append(continuation)
                    return false
                }
                state.freePlaces -= 1
                return true
            }
            if entersNow { continuation.resume() }
        }
    }

    /// Gives the place to the test that has waited longest, or frees it.
    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.queue.isEmpty else { return state.queue.removeFirst() }
            state.freePlaces += 1
            return nil
        }
        next?.resume()
    }
}

/// A thread that waits for its next job.
private final class TestThread: @unchecked Sendable {
    private let nextJob: Mutex<UnownedJob>
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init(_ job: UnownedJob) {
        nextJob = Mutex(job)
        sem_init(semaphore, 0, 0)
    }

    var job: UnownedJob { nextJob.withLock { $0 } }

    func wake(for job: UnownedJob) {
        nextJob.withLock { $0 = job }
        sem_post(semaphore)
    }

    func sleep() {
        while sem_wait(semaphore) != 0 {}
    }
}
