import CLinux
import CSystemd
import Durations

/// What a descriptor is ready for, the bits of epoll_ctl(2).
public struct IOEvents: OptionSet, Sendable {
    /// The bits of epoll_ctl(2).
    public let rawValue: UInt32

    /// Events of these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Bytes, a connection or the end can be read.
    public static let readable = IOEvents(rawValue: UInt32(EPOLLIN.rawValue))
    /// Bytes can be written.
    public static let writable = IOEvents(rawValue: UInt32(EPOLLOUT.rawValue))
    /// The peer will write no more.
    public static let readHangUp = IOEvents(rawValue: UInt32(EPOLLRDHUP.rawValue))
    /// Both directions are closed. Always reported, requested or not.
    public static let hangUp = IOEvents(rawValue: UInt32(EPOLLHUP.rawValue))
    /// The descriptor is in error. Always reported, requested or not.
    public static let failed = IOEvents(rawValue: UInt32(EPOLLERR.rawValue))
}

/// An sd_event_source, disabled and released with its owner: on the loop's thread, as libsystemd knows no other.
struct SourceHandle: ~Copyable {
    let pointer: OpaquePointer
    /// What the callback gets.
    private let context: AnyObject

    init(
        _ operation: String, context: AnyObject,
        _ add: (inout OpaquePointer?, UnsafeMutableRawPointer) -> Int32
    ) throws(SystemError) {
        var pointer: OpaquePointer?
        let status = add(&pointer, Unmanaged.passUnretained(context).toOpaque())
        guard status >= 0, let pointer else { throw SystemError(operation, code: -status) }
        self.pointer = pointer
        self.context = context
    }

    deinit {
        sd_event_source_disable_unref(pointer)
    }
}

/// What a callback of libsystemd's gets of the source it is called for. Where another thread has dropped the last
/// reference, the source is still to be taken out of the loop, and its callback comes to nothing until then.
private final class SourceContext<Source: AnyObject> {
    private weak var source: Source?

    init(_ source: Source) { self.source = source }

    /// The source, retained for the call: the handler may drop the last reference to its own source.
    static func source(_ context: UnsafeMutableRawPointer?) -> Source? {
        // The context lives as long as libsystemd's source, whose callback is running.
        Unmanaged<SourceContext>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue().source
    }
}

/// Watches a descriptor that somebody else owns, and must outlive the watching.
@DaemonActor
public final class IOSource {
    private var handle: SourceHandle?
    private let handler: @DaemonActor (IOEvents) -> Void

    /// Calls the handler on the loop whenever the descriptor is ready for one of `events`, sd_event_add_io(3).
    ///
    /// Sources of a smaller priority number are dispatched first.
    public init(
        _ descriptor: Int32, _ events: IOEvents, priority: Int64 = 0,
        handler: @escaping @DaemonActor (IOEvents) -> Void
    ) throws(SystemError) {
        self.handler = handler
        handle = try SourceHandle("watch a descriptor", context: SourceContext(self)) { source, context in
            sd_event_add_io(
                EventLoop.main.event, &source, descriptor, events.rawValue,
                { @Sendable _, _, bits, context in
                    guard let source = SourceContext<IOSource>.source(context) else { return 0 }
                    DaemonActor.assumeIsolated { source.handler(IOEvents(rawValue: bits)) }
                    return 0
                }, context)
        }
        interest = events
        if priority != 0 { sd_event_source_set_priority(handle?.pointer, priority) }
    }

    /// What the handler is called for; hang-up and failure always are.
    public var interest: IOEvents = [] {
        didSet {
            guard interest != oldValue else { return }
            sd_event_source_set_io_events(handle?.pointer, interest.rawValue)
        }
    }

    /// Watches no longer. To be called before the descriptor is closed.
    public func cancel() {
        handle = nil
    }

    // Wherever the last reference is dropped.
    isolated deinit {
        handle = nil
    }
}

/// A timer that goes off once for each time it is armed.
@DaemonActor
public final class TimerSource {
    private var handle: SourceHandle?
    private let accuracy: Duration
    private let handler: @DaemonActor () -> Void

    /// A timer that is not armed; it may go off up to `accuracy` late so that wake-ups fall together.
    public init(
        accuracy: Duration, handler: @escaping @DaemonActor () -> Void
    ) throws(SystemError) {
        self.accuracy = accuracy
        self.handler = handler
        handle = try SourceHandle("make a timer", context: SourceContext(self)) { source, context in
            sd_event_add_time(
                EventLoop.main.event, &source, CLOCK_MONOTONIC, UInt64.max, max(1, accuracy.microseconds),
                { @Sendable _, _, context in
                    guard let source = SourceContext<TimerSource>.source(context) else { return 0 }
                    DaemonActor.assumeIsolated {
                        source.isArmed = false
                        source.handler()
                    }
                    return 0
                }, context)
        }
        sd_event_source_set_enabled(handle?.pointer, Int32(SD_EVENT_OFF))
    }

    /// Whether it will go off.
    public private(set) var isArmed = false

    /// Arms it for an instant of CLOCK_MONOTONIC, in nanoseconds; one that has passed means at once.
    public func arm(at monotonicNanoseconds: UInt64) {
        // Rounded up: a timer must never expire before its instant.
        sd_event_source_set_time(handle?.pointer, (monotonicNanoseconds + 999) / 1_000)
        sd_event_source_set_enabled(handle?.pointer, Int32(SD_EVENT_ONESHOT))
        isArmed = true
    }

    /// Arms it for so long from now.
    public func arm(after delay: Duration, clock: some TimeSource = SystemClock()) {
        arm(at: clock.monotonicNanoseconds.after(delay))
    }

    /// It will not go off until it is armed again.
    public func disarm() {
        guard isArmed else { return }
        sd_event_source_set_enabled(handle?.pointer, Int32(SD_EVENT_OFF))
        isArmed = false
    }

    /// Ends the timer.
    public func cancel() {
        handle = nil
        isArmed = false
    }

    // Wherever the last reference is dropped.
    isolated deinit {
        handle = nil
    }
}

/// Takes a signal on the loop instead of anywhere.
@DaemonActor
public final class SignalSource {
    private var handle: SourceHandle?
    private let handler: @DaemonActor () -> Void

    /// Blocks the signal in this thread and calls the handler on the loop for it, sd_event_add_signal(3). To be made
    /// before other threads are, so that they inherit the blocking.
    public init(
        _ signal: Int32, handler: @escaping @DaemonActor () -> Void
    ) throws(SystemError) {
        self.handler = handler
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        let status = pthread_sigmask(SIG_BLOCK, &set, nil)
        if status != 0 { throw SystemError("block a signal", code: status, subject: String(signal)) }
        handle = try SourceHandle("watch a signal", context: SourceContext(self)) { source, context in
            sd_event_add_signal(
                EventLoop.main.event, &source, signal,
                { @Sendable _, _, context in
                    guard let source = SourceContext<SignalSource>.source(context) else { return 0 }
                    DaemonActor.assumeIsolated { source.handler() }
                    return 0
                }, context)
        }
    }

    /// Watches no longer; the signal stays blocked.
    public func cancel() {
        handle = nil
    }

    // Wherever the last reference is dropped.
    isolated deinit {
        handle = nil
    }
}

/// Does something in a later turn of the loop, sd_event_add_defer(3): without a system call of its own.
@DaemonActor
public final class DeferSource {
    private var handle: SourceHandle?
    private let handler: @DaemonActor () -> Void

    /// One that is not armed. Its turn is the next one, or one in which no other source is ready.
    public init(whenIdle: Bool = false, handler: @escaping @DaemonActor () -> Void) throws(SystemError) {
        self.handler = handler
        handle = try SourceHandle("defer work", context: SourceContext(self)) { source, context in
            sd_event_add_defer(
                EventLoop.main.event, &source,
                { @Sendable _, context in
                    guard let source = SourceContext<DeferSource>.source(context) else { return 0 }
                    DaemonActor.assumeIsolated { source.handler() }
                    return 0
                }, context)
        }
        sd_event_source_set_enabled(handle?.pointer, Int32(SD_EVENT_OFF))
        if whenIdle { sd_event_source_set_priority(handle?.pointer, Int64(SD_EVENT_PRIORITY_IDLE)) }
    }

    /// Calls the handler once, in that turn.
    public func arm() { sd_event_source_set_enabled(handle?.pointer, Int32(SD_EVENT_ONESHOT)) }

    /// Does not call it.
    public func disarm() { sd_event_source_set_enabled(handle?.pointer, Int32(SD_EVENT_OFF)) }

    /// Calls it never again.
    public func cancel() { handle = nil }

    // Wherever the last reference is dropped.
    isolated deinit {
        handle = nil
    }
}
