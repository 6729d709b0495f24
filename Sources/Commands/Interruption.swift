import CLinux
import CommandLineKit
import Durations
import Glibc
import Platform

/// The signals that interrupt a command, as a descriptor to wait for, so that the command ends between two lines and
/// restores everything.
///
/// While it exists, SIGINT, SIGTERM and SIGHUP do not end the process. signalfd(2).
final class Interruption {
    /// Readable once such a signal has arrived.
    let descriptor: Int32
    private let owner: OwnedDescriptor

    /// Begins to receive the signals.
    init() throws(SystemError) {
        owner = try OwnedDescriptor("signalfd") { waymark_termination_descriptor() }
        descriptor = owner.number
    }

    /// The exit code for a signal that has arrived; nil without one.
    func received() -> ExitCode? {
        switch waymark_next_signal(descriptor) {
        case SIGINT: .interrupted
        case SIGTERM, SIGHUP: .terminated
        default: nil
        }
    }

    /// Waits for this time, or until a signal arrives.
    func pause(_ duration: Duration) throws(CommandFailure) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, Int32(clamping: duration.nanoseconds / 1_000_000))
        if let code = received() { throw .ended(code) }
    }
}
