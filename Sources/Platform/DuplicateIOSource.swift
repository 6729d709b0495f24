import Glibc

/// Watches a duplicate of a descriptor that a library owns and may close at any time.
///
/// When a watched descriptor is closed, the kernel stops watching it only if no other process has it open, such as a
/// child between fork(2) and exec(2). Otherwise the loop would be woken for a source that no longer exists. The
/// duplicate is closed only after the watching has ended. Until then the connection remains open, although its library
/// has closed it.
@DaemonActor
public final class DuplicateIOSource {
    private let source: IOSource
    /// Declared after the source, which `isolated deinit` has already cancelled when this is closed.
    private let duplicate: OwnedDescriptor

    /// Calls the handler on the loop whenever the descriptor is ready for one of `events`, as `IOSource` does.
    public init(
        _ descriptor: Int32, _ events: IOEvents, priority: Int64 = 0,
        handler: @escaping @DaemonActor (IOEvents) -> Void
    ) throws(SystemError) {
        duplicate = try OwnedDescriptor("duplicate a descriptor") { fcntl(descriptor, F_DUPFD_CLOEXEC, 3) }
        source = try IOSource(duplicate.number, events, priority: priority, handler: handler)
    }

    /// The events for which the handler is called. Hang-up and failure are always reported.
    public var interest: IOEvents {
        get { source.interest }
        set { source.interest = newValue }
    }

    /// Stops watching, even if the library has already closed its descriptor.
    public func cancel() { source.cancel() }

    isolated deinit { source.cancel() }
}
