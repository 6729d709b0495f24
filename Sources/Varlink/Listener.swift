import Glibc
import Platform

/// A listening socket of a server.
@DaemonActor
final class Listener {
    /// The name that distinguishes connections accepted through it.
    let name: String
    let descriptor: OwnedDescriptor
    private var source: IOSource?
    /// When accepting goes on after the system had no room.
    private(set) var deadline: UInt64?

    init(
        _ descriptor: consuming OwnedDescriptor, name: String, onReady: @escaping @DaemonActor (Listener) -> Void
    ) throws(SystemError) {
        self.name = name
        let number = descriptor.number
        self.descriptor = descriptor
        source = try IOSource(number, .readable) { [weak self] _ in if let self { onReady(self) } }
    }

    /// Accepts nothing until then: what cannot be accepted stays readable, and the loop would spin.
    func pause(until instant: UInt64) {
        deadline = instant
        source?.interest = []
    }

    func cancel() {
        source?.cancel()
        source = nil
        deadline = nil
    }
}

extension Listener: DeadlineHolder {
    func deadlinePassed(at now: UInt64) {
        deadline = nil
        source?.interest = .readable
    }
}
