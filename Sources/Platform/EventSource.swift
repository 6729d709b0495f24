import CLinux
import CSystemd
import Durations
import Glibc

/// The readiness of a descriptor, as the bits of epoll_ctl(2).
public struct IOEvents: OptionSet, Sendable {
    /// The bits of epoll_ctl(2).
    public let rawValue: UInt32

    /// Events with these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Data, a connection or the end of the stream can be read.
    public static let readable = IOEvents(rawValue: UInt32(EPOLLIN.rawValue))
    /// Bytes can be written.
    public static let writable = IOEvents(rawValue: UInt32(EPOLLOUT.rawValue))
    /// The peer has closed its direction.
    public static let readHangUp = IOEvents(rawValue: UInt32(EPOLLRDHUP.rawValue))
    /// Both directions are closed. Always reported, requested or not.
    public static let hangUp = IOEvents(rawValue: UInt32(EPOLLHUP.rawValue))
    /// The descriptor is in error. Always reported, requested or not.
    public static let failed = IOEvents(rawValue: UInt32(EPOLLERR.rawValue))
}

/// An sd_event_source, which is disabled and released with its owner. To be used on the loop's thread only.
struct SourceHandle: ~Copyable {
    let pointer: OpaquePointer
    /// The context of the callback.
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

/// The context of a libsystemd callback. The reference to the source is weak: another thread may have dropped the last
/// reference while the source is still in the loop; until it is removed, its callback does nothing.
private final class SourceContext<Source: AnyObject> {
    private weak var source: Source?

    init(_ source: Source) { self.source = source }

    /// The source, retained during the call, because the handler may drop the last reference to its own source.
    static func source(_ context: UnsafeMutableRawPointer?) -> Source? {
        // The context exists as long as libsystemd's source, whose callback is running.
        Unmanaged<SourceContext>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue().source
    }
}

/// Watches a descriptor that it does not own. The descriptor must stay open until the watching ends.
@DaemonActor
public final class IOSource {
    private var handle: SourceHandle?
    private let handler: @DaemonActor (IOEvents) -> Void

    /// Calls the handler on the loop whenever the descriptor is ready for one of `events`, sd_event_add_io(3).
    ///
    /// Sources with a smaller priority number are dispatched first.
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

    /// The events for which the handler is called. Hang-up and failure are always reported.
    public var interest: IOEvents = [] {
        didSet {
            guard interest != oldValue else { return }
            sd_event_source_set_io_events(handle?.pointer, interest.rawValue)
        }
    }

    /// Stops watching. Must be called before the descriptor is closed.
    public func cancel() {
        // Otherwise the kernel reports a source that does not exist any more, as long as a child that is just being started has
        // the descriptor, epoll(7).
        let source = handle?.pointer
        assert(
            source == nil || fcntl(sd_event_source_get_io_fd(source), F_GETFD) >= 0,
            "A descriptor was closed before its watching ended.")
        handle = nil
    }

    // `isolated`, because any thread may drop the last reference.
    isolated deinit {
        cancel()
    }
}

/// A timer that expires once each time that it is armed.
@DaemonActor
public final class TimerSource {
    private var handle: SourceHandle?
    private let accuracy: Duration
    private let handler: @DaemonActor () -> Void

    /// A timer that is not armed. It may expire up to `accuracy` late, so that wake-ups can be combined.
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

    /// Whether it is armed.
    public private(set) var isArmed = false

    /// Arms it for an instant of CLOCK_MONOTONIC in nanoseconds. Zero expires at once; an instant that has just passed may expire as
    /// late as the accuracy permits, as any other does.
    public func arm(at monotonicNanoseconds: UInt64) {
        // Rounded up: a timer must never expire before its instant.
        sd_event_source_set_time(handle?.pointer, (monotonicNanoseconds + 999) / 1_000)
        sd_event_source_set_enabled(handle?.pointer, Int32(SD_EVENT_ONESHOT))
        isArmed = true
    }

    /// Arms it to expire after this delay; without a delay at once, whatever its accuracy is.
    public func arm(after delay: Duration, clock: some TimeSource = SystemClock()) {
        // libsystemd exempts only the instant zero from the accuracy (`sleep_between` in sd-event.c).
        arm(at: delay > .zero ? clock.monotonicNanoseconds.after(delay) : 0)
    }

    /// The instant that libsystemd has, in microseconds of CLOCK_MONOTONIC; nil unless it is armed.
    var programmedMicroseconds: UInt64? {
        var microseconds: UInt64 = 0
        guard isArmed, sd_event_source_get_time(handle?.pointer, &microseconds) >= 0 else { return nil }
        return microseconds
    }

    /// Disarms it.
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

    // `isolated`, because any thread may drop the last reference.
    isolated deinit {
        handle = nil
    }
}

/// Handles a signal on the loop instead of in a signal handler.
@DaemonActor
public final class SignalSource {
    private var handle: SourceHandle?
    private let handler: @DaemonActor () -> Void

    /// Blocks the signal in this thread and calls the handler on the loop, sd_event_add_signal(3). Create it before
    /// other threads, so that these inherit the blocked signal.
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

    /// Stops watching. The signal remains blocked.
    public func cancel() {
        handle = nil
    }

    // `isolated`, because any thread may drop the last reference.
    isolated deinit {
        handle = nil
    }
}

/// Calls a handler in a later iteration of the loop, sd_event_add_defer(3), without a system call.
@DaemonActor
public final class DeferSource {
    private var handle: SourceHandle?
    private let handler: @DaemonActor () -> Void

    /// A source that is not armed. When armed, it is dispatched in the next iteration, or in one in which no other
    /// source is ready.
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

    /// Arms it for one call.
    public func arm() { sd_event_source_set_enabled(handle?.pointer, Int32(SD_EVENT_ONESHOT)) }

    /// Disarms it.
    public func disarm() { sd_event_source_set_enabled(handle?.pointer, Int32(SD_EVENT_OFF)) }

    /// Removes it from the loop.
    public func cancel() { handle = nil }

    // `isolated`, because any thread may drop the last reference.
    isolated deinit {
        handle = nil
    }
}
