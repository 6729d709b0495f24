import CLinux
import Glibc

/// An eventfd that wakes a thread, eventfd(2).
public struct WakeDescriptor: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// A descriptor that is not readable yet.
    public init() {
        let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(number >= 0, "no descriptor left for an eventfd: \(SystemError.text(errno))")
        descriptor = OwnedDescriptor(adopting: number)
    }

    /// The descriptor to wait for.
    public var number: Int32 { descriptor.number }

    /// Makes it readable; callable from any thread.
    public func signal() {
        // This fails only if the counter is at its maximum; then the descriptor is already readable.
        _ = eventfd_write(descriptor.number, 1)
    }

    /// Makes it unreadable again.
    public func clear() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor.number, &count)
    }
}
