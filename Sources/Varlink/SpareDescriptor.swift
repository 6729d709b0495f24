import Glibc
import Platform

/// A reserved descriptor, which is closed when no other is available, so that a pending connection can be accepted and
/// refused with a reason. Otherwise the connection would remain in the queue, and the loop would spin.
struct SpareDescriptor: ~Copyable {
    private var descriptor: OwnedDescriptor?

    /// Whether it is open.
    var isAvailable: Bool { descriptor != nil }

    /// Opens it again if it is closed. If that fails, it is attempted again at the next need.
    mutating func restore() {
        guard descriptor == nil else { return }
        let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if number >= 0 { descriptor = OwnedDescriptor(adopting: number) }
    }

    /// Closes it.
    mutating func giveUp() {
        descriptor = nil
    }
}
