import CLinux
import CommandLineKit
import Durations
import Glibc
import Platform

/// Ctrl-C and its like as something to wait for, so that a command ends between two lines and puts everything back.
///
/// As long as it lives, SIGINT, SIGTERM and SIGHUP end nothing by themselves. signalfd(2).
final class Interruption {
    /// Readable once somebody wants the command to end.
    let descriptor: Int32
    private let owner: OwnedDescriptor

    /// Begins to take the signals.
    init() throws(SystemError) {
        owner = try OwnedDescriptor("signalfd") { waymark_termination_descriptor() }
        descriptor = owner.number
    }

    /// What to end with, where somebody wants that; nil otherwise.
    func taken() -> ExitCode? {
        switch waymark_next_signal(descriptor) {
        case SIGINT: .interrupted
        case SIGTERM, SIGHUP: .terminated
        default: nil
        }
    }

    /// Waits so long, or less where somebody wants the command to end.
    func pause(_ duration: Duration) throws(CommandFailure) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, Int32(clamping: duration.nanoseconds / 1_000_000))
        if let code = taken() { throw .ended(code) }
    }
}
