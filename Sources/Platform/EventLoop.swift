import CLinux
import CSystemd
import Glibc
import Synchronization

/// The daemon's main thread: an sd-event loop that is also the executor of `DaemonActor`.
///
/// The thread that calls `run()` dispatches sources (descriptors, timers, signals) one after another, as well as the
/// jobs of actors and tasks that have the loop as their executor. An idle loop does not wake up, except to report to
/// systemd's watchdog. See sd-event(3).
public final class EventLoop: SerialExecutor, TaskExecutor, Sendable {
    /// The loop that executes `DaemonActor`.
    public static let main = EventLoop()

    /// The sd_event object. Only the loop's own thread uses it; other threads use only `wake`, an eventfd.
    private let handle: LoopHandle
    /// Written by other threads to wake the loop.
    private let wake: WakeDescriptor
    /// The thread of the loop, compared with pthread_self(3), which needs no system call. 0 until it is known.
    private let owner = Atomic<pthread_t>(0)
    private let queue = Mutex<[Work]>([])
    /// Whether `run()` is running, which performs what is in the queue before it waits.
    private let isRunning = Atomic(false)
    /// Whether `stop` was called.
    private let isStopping = Atomic(false)

    /// The most batches of work after one event. Work that adds work, such as a task that waits for another actor, must not delay
    /// other events without limit.
    private static let mostBatches = 2

    private enum Work {
        case job(UnownedJob)
        case operation(@Sendable @DaemonActor () -> Void)
    }

    /// A loop without sources, which belongs to no thread yet.
    public init() {
        handle = LoopHandle()
        wake = WakeDescriptor()
        let status = sd_event_add_io(
            handle.pointer, nil, wake.number, IOEvents.readable.rawValue,
            { _, _, _, context in
                EventLoop.from(context).wake.clear()
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
        precondition(status >= 0, "sd_event_add_io on an eventfd fails only without memory")
    }

    var event: OpaquePointer { handle.pointer }

    private static func from(_ context: UnsafeMutableRawPointer?) -> EventLoop {
        // The context is the loop itself, which exists longer than its sources.
        Unmanaged<EventLoop>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
    }

    // Jobs

    /// Enqueues a job of an actor or a task; callable from any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    /// Enqueues an operation; callable from any thread. Operations run in the order of the calls.
    func post(_ operation: @escaping @Sendable @DaemonActor () -> Void) {
        add(.operation(operation))
    }

    private func add(_ work: Work) {
        let wasEmpty = queue.withLock { queue in
            queue.append(work)
            return queue.count == 1
        }
        // The loop's own thread performs the work before it waits again, and needs no system call to learn of it.
        if wasEmpty, !(isRunning.load(ordering: .acquiring) && isIsolatingCurrentContext() == true) { wake.signal() }
    }

    /// Whether the caller is on the loop's thread.
    public func isIsolatingCurrentContext() -> Bool? {
        owner.load(ordering: .acquiring) == pthread_self()
    }

    /// Stops the program if the caller is not on the loop's thread.
    public func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the event loop's thread")
    }

    private var hasWork: Bool { queue.withLock { !$0.isEmpty } }

    /// Performs what is in the queue, and what that adds to it, up to a number of batches.
    private func performWork() {
        for _ in 0..<Self.mostBatches where !isStopping.load(ordering: .relaxed) {
            let batch = queue.withLock { queue in
                let batch = queue
                queue.removeAll(keepingCapacity: queue.capacity <= 1024)
                return batch
            }
            if batch.isEmpty { return }
            for work in batch { perform(work) }
        }
    }

    private func perform(_ work: Work) {
        switch work {
        case .job(let job):
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        case .operation(let operation):
            DaemonActor.assumeIsolated(operation)
        }
    }

    // Running

    /// Declares that the calling thread will call `run()`. State that is isolated to the loop can then be set up before that call.
    public func adoptCurrentThread() {
        owner.store(pthread_self(), ordering: .releasing)
    }

    /// Dispatches until `stop` is called, and returns its code; a negative error number if sd-event fails.
    @discardableResult
    public func run() -> Int32 {
        adoptCurrentThread()
        isRunning.store(true, ordering: .releasing)
        defer { isRunning.store(false, ordering: .releasing) }
        while sd_event_get_state(handle.pointer) != SD_EVENT_FINISHED {
            let status = DaemonActor.assumeIsolated { iterate() }
            StackErasure.perform()
            if status < 0, status != -EINTR { return status }
        }
        var code: Int32 = 0
        sd_event_get_exit_code(handle.pointer, &code)
        return code
    }

    /// Dispatches until `stop` is called.
    public func serve() throws(SystemError) {
        let code = run()
        if code < 0 { throw SystemError("run the event loop", code: -code) }
    }

    /// One iteration: waits for an event unless there is work, dispatches it, and performs the work.
    @DaemonActor
    private func iterate() -> Int32 {
        let status = dispatch(waiting: !hasWork)
        if status >= 0 { performWork() }
        return status
    }

    @DaemonActor
    private func dispatch(waiting: Bool) -> Int32 {
        let urgent = UrgentIOSources.all
        if urgent.isEmpty { return sd_event_run(handle.pointer, waiting ? .max : 0) }
        // The same steps as sd_event_run(3), with urgent sources polled in between.
        let pending = sd_event_prepare(handle.pointer)
        guard pending >= 0 else { return pending }
        urgent.wait(besides: sd_event_get_fd(handle.pointer), milliseconds: pending == 0 && waiting ? -1 : 0)
        let ready = pending > 0 ? pending : sd_event_wait(handle.pointer, 0)
        return ready > 0 ? sd_event_dispatch(handle.pointer) : ready
    }

    /// Ends `run()` after the current dispatch and the batch of work in progress. Batches that are still queued are not performed.
    /// Must be called on the loop's thread.
    public func stop(code: Int32 = 0) {
        checkIsolated()
        isStopping.store(true, ordering: .relaxed)
        sd_event_exit(handle.pointer, code)
    }

    /// Sends keep-alives to systemd's watchdog from the loop if `WATCHDOG_USEC` requests them,
    /// sd_event_set_watchdog(3), so that systemd detects a loop that is stuck.
    public func feedWatchdog() throws(SystemError) {
        let status = sd_event_set_watchdog(handle.pointer, 1)
        if status < 0 { throw SystemError("set the watchdog", code: -status) }
    }
}

/// The sd_event object, released with its owner.
private struct LoopHandle: ~Copyable, @unchecked Sendable {
    // Sendable: only the loop's own thread uses libsystemd's loop, which `checkIsolated` verifies.
    let pointer: OpaquePointer

    init() {
        var pointer: OpaquePointer?
        let status = sd_event_new(&pointer)
        guard status >= 0, let pointer else {
            preconditionFailure("no event loop: \(SystemError.text(-status))")
        }
        self.pointer = pointer
    }

    deinit {
        sd_event_unref(pointer)
    }
}
