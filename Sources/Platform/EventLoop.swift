import CLinux
import CSystemd
import Glibc
import Synchronization

/// The daemon's one thread of work: an sd-event loop that is also the executor of `DaemonActor`.
///
/// Sources (descriptors, timers, signals) are dispatched one after another on the thread that calls `run()`, and so are
/// the jobs of actors and tasks that have the loop as their executor. Nothing runs while nothing happens: an idle loop
/// makes no wake-ups. See sd-event(3).
public final class EventLoop: SerialExecutor, TaskExecutor, Sendable {
    /// The loop that `DaemonActor` runs on.
    public static let main = EventLoop()

    /// The sd_event object. Only the loop's own thread calls into it, apart from `wake`, which is an eventfd.
    private let handle: LoopHandle
    /// Written by other threads to wake the loop.
    private let wake: WakeDescriptor
    /// The thread the loop belongs to, asked for with every event: pthread_self(3) needs no system call. 0 until it is known.
    private let owner = Atomic<pthread_t>(0)
    private let queue = Mutex<[Work]>([])

    private enum Work {
        case job(UnownedJob)
        case operation(@Sendable @DaemonActor () -> Void)
    }

    /// An empty loop that belongs to no thread yet.
    public init() {
        handle = LoopHandle()
        wake = WakeDescriptor()
        let status = sd_event_add_io(
            handle.pointer, nil, wake.number, IOEvents.readable.rawValue,
            { _, descriptor, _, context in
                EventLoop.from(context).drainWake(descriptor)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
        precondition(status >= 0, "sd_event_add_io on an eventfd fails only without memory")
    }

    var event: OpaquePointer { handle.pointer }

    private static func from(_ context: UnsafeMutableRawPointer?) -> EventLoop {
        // The context is the loop itself, which outlives its sources.
        Unmanaged<EventLoop>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
    }

    // Jobs

    /// Takes a job of an actor or a task; callable from any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    /// Takes an operation to run soon; callable from any thread, and run in the order of the calls.
    func post(_ operation: @escaping @Sendable @DaemonActor () -> Void) {
        add(.operation(operation))
    }

    private func add(_ work: Work) {
        let wasEmpty = queue.withLock { queue in
            queue.append(work)
            return queue.count == 1
        }
        if wasEmpty { wake.signal() }
    }

    /// Whether the caller already runs on the loop's thread.
    public func isIsolatingCurrentContext() -> Bool? {
        owner.load(ordering: .acquiring) == pthread_self()
    }

    /// Stops the program where the caller is not on the loop's thread.
    public func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the event loop's thread")
    }

    private func drainWake(_ descriptor: Int32) {
        wake.clear()
        // One batch a turn, so that jobs which enqueue jobs cannot starve the other sources.
        let batch = queue.withLock { queue in
            let batch = queue
            queue.removeAll(keepingCapacity: queue.capacity <= 1024)
            return batch
        }
        for work in batch {
            switch work {
            case .job(let job):
                job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            case .operation(let operation):
                DaemonActor.assumeIsolated(operation)
            }
        }
    }

    // Running

    /// Says that the calling thread is the one that will call `run()`: what is isolated to the loop may be set up on it
    /// from now on.
    public func adoptCurrentThread() {
        owner.store(pthread_self(), ordering: .releasing)
    }

    /// Dispatches until `stop` is called, and returns the code given to it.
    @discardableResult
    public func run() -> Int32 {
        adoptCurrentThread()
        while sd_event_get_state(handle.pointer) != SD_EVENT_FINISHED {
            let status = DaemonActor.assumeIsolated { iterate() }
            if status < 0, status != -EINTR { return status }
        }
        var code: Int32 = 0
        sd_event_get_exit_code(handle.pointer, &code)
        return code
    }

    /// One turn: waits until there is something to do, and does it.
    @DaemonActor
    private func iterate() -> Int32 {
        let urgent = UrgentIOSources.all
        if urgent.isEmpty { return sd_event_run(handle.pointer, .max) }
        // As sd_event_run(3) does, with the waiting between.
        let pending = sd_event_prepare(handle.pointer)
        guard pending >= 0 else { return pending }
        urgent.wait(besides: sd_event_get_fd(handle.pointer), milliseconds: pending == 0 ? -1 : 0)
        let ready = pending > 0 ? pending : sd_event_wait(handle.pointer, 0)
        return ready > 0 ? sd_event_dispatch(handle.pointer) : ready
    }

    /// Ends `run()` after the present dispatch. To be called on the loop's thread.
    public func stop(code: Int32 = 0) {
        checkIsolated()
        sd_event_exit(handle.pointer, code)
    }

    /// Feeds systemd's watchdog from the loop itself where `WATCHDOG_USEC` asks for it, sd_event_set_watchdog(3):
    /// a loop that is stuck feeds nothing.
    public func feedWatchdog() throws(SystemError) {
        let status = sd_event_set_watchdog(handle.pointer, 1)
        if status < 0 { throw SystemError("set the watchdog", code: -status) }
    }
}

/// The sd_event object, released with its owner.
private struct LoopHandle: ~Copyable, @unchecked Sendable {
    // Sendable: libsystemd's loop is only touched on the loop's own thread, which `checkIsolated` watches over.
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
