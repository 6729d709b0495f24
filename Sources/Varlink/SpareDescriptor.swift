import Glibc
import Platform

/// A descriptor kept to be given up when no other is left, so that a waiting connection can be accepted and refused with a reason.
/// Without it the connection would stay in the queue and keep the loop awake.
struct SpareDescriptor: ~Copyable {
    private var descriptor: OwnedDescriptor?

    /// Whether there is one to give up.
    var isAvailable: Bool { descriptor != nil }

    /// Opens it anew where it is gone. One that cannot be had now is tried for again at the next need.
    mutating func restore() {
        guard descriptor == nil else { return }
        let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if number >= 0 { descriptor = OwnedDescriptor(adopting: number) }
    }

    /// Gives it up.
    mutating func giveUp() {
        descriptor = nil
    }
}
