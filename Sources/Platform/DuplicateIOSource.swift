import Glibc

/// Watches a descriptor that a library owns and may close at any time, through a duplicate of it.
///
/// Who closes a descriptor that is watched leaves it to the kernel to forget it, and the kernel does not while anybody else
/// holds it, a child between fork(2) and exec(2) say: the loop would be woken for a source that is no more. The duplicate is
/// closed only once nobody watches it. Until then the connection stays open although its library has closed it.
@DaemonActor
public final class DuplicateIOSource {
    private let source: IOSource
    /// Declared after what watches it: `isolated deinit` has ended the watching before.
    private let duplicate: OwnedDescriptor

    /// Calls the handler on the loop whenever the descriptor is ready for one of `events`, as `IOSource` does.
    public init(
        _ descriptor: Int32, _ events: IOEvents, priority: Int64 = 0,
        handler: @escaping @DaemonActor (IOEvents) -> Void
    ) throws(SystemError) {
        duplicate = try OwnedDescriptor("duplicate a descriptor") { fcntl(descriptor, F_DUPFD_CLOEXEC, 3) }
        source = try IOSource(duplicate.number, events, priority: priority, handler: handler)
    }

    /// What the handler is called for; hang-up and failure always are.
    public var interest: IOEvents {
        get { source.interest }
        set { source.interest = newValue }
    }

    /// Watches no longer, whatever has become of the library's descriptor.
    public func cancel() { source.cancel() }

    isolated deinit { source.cancel() }
}
