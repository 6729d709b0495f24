import Synchronization

/// The pending events and positions, shared between the thread that appends and the one that writes.
final class Intake: Sendable {
    let pending: Mutex<PendingEvents>

    init(_ options: JournalOptions) {
        pending = Mutex(
            PendingEvents(capacity: options.queueCapacity, positionCapacity: options.positionCapacity))
    }
}
