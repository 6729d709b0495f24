import Glibc
import Platform

/// A listening socket of a server.
@DaemonActor
final class Listener {
    /// The name that the connections accepted through it have.
    let name: String
    let descriptor: OwnedDescriptor
    private var source: IOSource?
    /// When accepting continues after a pause for lack of system resources.
    private(set) var deadline: UInt64?

    init(
        _ descriptor: consuming OwnedDescriptor, name: String, onReady: @escaping @DaemonActor (Listener) -> Void
    ) throws(SystemError) {
        self.name = name
        let number = descriptor.number
        self.descriptor = descriptor
        source = try IOSource(number, .readable) { [weak self] _ in if let self { onReady(self) } }
    }

    /// Pauses accepting: a connection that cannot be accepted leaves the socket readable, and the loop would spin.
    func pause(until instant: UInt64) {
        deadline = instant
        source?.interest = []
    }

    func cancel() {
        source?.cancel()
        source = nil
        deadline = nil
    }

    // The source ends before the descriptor is closed.
    isolated deinit {
        source?.cancel()
    }
}

extension Listener: DeadlineHolder {
    func deadlinePassed(at now: UInt64) {
        deadline = nil
        source?.interest = .readable
    }
}
