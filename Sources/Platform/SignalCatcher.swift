import CLinux
import Glibc
import Synchronization

/// Has signals make a descriptor readable, once each, instead of ending the process: the second one of a kind ends it.
///
/// For programs whose threads another library has started, so that signalfd(2) cannot be used: a thread that does not block
/// the signal would receive it. One object exists in a process.
public final class SignalCatcher: Sendable {
    private static let target = Atomic<Int32>(-1)
    private let caught = WakeDescriptor()

    /// Catches these signals from now on, sigaction(2).
    public init(_ signals: [Int32]) {
        Self.target.store(caught.number, ordering: .relaxed)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            let code = errno
            // The only call here, which a handler may make: signal-safety(7).
            _ = eventfd_write(SignalCatcher.target.load(ordering: .relaxed), 1)
            errno = code
        }
        action.sa_flags = Int32(truncatingIfNeeded: SA_RESTART) | Int32(truncatingIfNeeded: SA_RESETHAND)
        for signal in signals { sigaction(signal, &action, nil) }
    }

    deinit { Self.target.store(-1, ordering: .relaxed) }

    /// The descriptor, which is readable when a signal was caught.
    public var number: Int32 { caught.number }

    /// Makes it unreadable again.
    public func clear() { caught.clear() }
}
