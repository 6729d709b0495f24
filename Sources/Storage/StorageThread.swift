import CLinux
import Durations
import Glibc
import Platform
import Synchronization

/// A thread that may block on a disk, with a bounded mailbox. It is the executor of actors that run only on it.
///
/// It waits in poll(2) on an eventfd: it is not woken while there is nothing to do, and, in contrast to a condition
/// variable, its whole state is in a `Mutex` that the compiler checks.
public final class StorageThread: SerialExecutor {
    private enum Item: Sendable {
        case job(UnownedJob)
        case work(@Sendable () -> Void)
    }

    private struct State {
        var mailbox: [Item] = []
        var timer: (deadline: UInt64, work: @Sendable () -> Void)?
        var isStopping = false
    }

    private let state = Mutex(State())
    private let bell: OwnedDescriptor
    private let capacity: Int
    private let threadID = Atomic<pthread_t>(0)

    /// Starts the thread. `capacity` limits the mailbox of `submit`.
    ///
    /// Throws the error of eventfd(2) or pthread_create(3).
    public init(capacity: Int) throws(SystemError) {
        self.capacity = capacity
        bell = try OwnedDescriptor("make an eventfd") {
            eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        }
        try start()
    }

    /// Queues work after everything submitted before. Returns false if the mailbox is full and `mustRun` is not set:
    /// the work is then not done.
    public func submit(mustRun: Bool = false, _ work: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = state.withLock { state in
            if state.isStopping || (state.mailbox.count >= capacity && !mustRun) { return false }
            state.mailbox.append(.work(work))
            return true
        }
        if isTaken { ring() }
        return isTaken
    }

    /// Schedules work once after a delay; if an earlier time is scheduled already, that one remains.
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        let deadline = SystemClock().monotonicNanoseconds.after(delay)
        let isEarlier = state.withLock { state in
            if state.isStopping { return false }
            if let timer = state.timer, timer.deadline <= deadline { return false }
            state.timer = (deadline, work)
            return true
        }
        if isEarlier { ring() }
    }

    /// Cancels the scheduled work.
    public func cancelSchedule() {
        state.withLock { $0.timer = nil }
    }

    /// Ends the thread after the work in its mailbox. Later work is refused.
    public func stop() {
        state.withLock {
            $0.isStopping = true
            $0.timer = nil
        }
        ring()
    }

    /// Runs a job of Swift's concurrency runtime. It is accepted even if the mailbox is full, because a refused job
    /// would suspend its task permanently.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.mailbox.append(.job(job)) }
        ring()
    }

    /// Traps if the caller is not on this thread.
    public func checkIsolated() {
        precondition(pthread_self() == threadID.load(ordering: .acquiring), "not on the storage thread")
    }

    private func start() throws(SystemError) {
        // The thread handles no signals: the loop reads them from a descriptor, for which they must be blocked in every
        // thread.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 512 << 10)

        var thread = pthread_t()
        // Balanced by the thread, which retains the object until it ends.
        let context = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, &attributes,
            { context in
                guard let context else { return nil }
                Unmanaged<StorageThread>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        if code != 0 {
            context.release()
            throw SystemError("start the storage thread", code: code)
        }
    }

    private func run() {
        threadID.store(pthread_self(), ordering: .releasing)
        waymark_name_thread("storage")
        while true {
            let (items, timer, isStopping) = removeDue()
            for item in items { perform(item) }
            timer?()
            StackErasure.perform()
            if isStopping, items.isEmpty { return }
            if items.isEmpty, timer == nil { sleep() }
        }
    }

    private func perform(_ item: Item) {
        switch item {
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .work(let work): work()
        }
    }

    private func removeDue() -> (items: [Item], timer: (@Sendable () -> Void)?, isStopping: Bool) {
        let now = SystemClock().monotonicNanoseconds
        return state.withLock { state in
            let items = state.mailbox
            state.mailbox = []
            var due: (@Sendable () -> Void)?
            if let timer = state.timer, timer.deadline <= now {
                due = timer.work
                state.timer = nil
            }
            return (items, due, state.isStopping)
        }
    }

    /// Waits for the eventfd or the timer, whichever is first.
    private func sleep() {
        let deadline = state.withLock { $0.timer?.deadline }
        var timeout: Int32 = -1
        if let deadline {
            let now = SystemClock().monotonicNanoseconds
            // Rounded up: waking a little early would only cause another wait.
            timeout = deadline <= now ? 0 : Int32(clamping: (deadline - now + 999_999) / 1_000_000)
        }
        var bellState = pollfd(fd: bell.number, events: Int16(POLLIN), revents: 0)
        // An interruption is handled like any wake-up: the caller checks for work again.
        if poll(&bellState, 1, timeout) > 0 {
            var count: UInt64 = 0
            _ = read(bell.number, &count, 8)
        }
    }

    /// An eventfd is a counter: a signal between the check and the wait is not lost. The write can only fail if the
    /// counter is set already.
    private func ring() {
        var one: UInt64 = 1
        _ = write(bell.number, &one, 8)
    }
}
