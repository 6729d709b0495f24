import Interfaces

/// Whether protected data, such as recorded positions, can be read: the equivalent of UIKit's
/// `isProtectedDataAvailable`.
///
///     switch try await WaymarkClient().protectedData() {
///     case .available: …
///     case .becomingUnavailable(let instant): …
///     case .unavailable: …
///     }
///
/// Data is locked and unlocked with `waymark protection`: by this process's user who has set a passphrase, else by the person in
/// charge of the machine. Without a passphrase it is always available. After a start of the daemon it is unavailable until somebody unlocks it.
public enum ProtectedData: Hashable, Sendable {
    /// Everything can be read that was recorded.
    case available
    /// The data is about to be locked: everything can be read until the instant at which the daemon erases the keys, 10 s
    /// after the announcement. `Task.sleep(until:clock:)` with `SuspendingClock` waits for it. The data becomes available
    /// again if somebody unlocks it before.
    case becomingUnavailable(at: SuspendingClock.Instant)
    /// The data is locked: what has the class `complete` or `completeUnlessOpen` cannot be read until somebody unlocks it, and
    /// until the first unlock after a start of the daemon neither can what has the class `completeUntilFirstUnlock`.
    case unavailable

    /// Whether everything can be read at present.
    public var isAvailable: Bool { self != .unavailable }
}

extension ProtectedData {
    /// The state in a reply that was received at an instant.
    init(_ reply: ProtectionInterface.Monitor.Reply, receivedAt now: SuspendingClock.Instant) {
        switch (reply.isProtectedDataAvailable, reply.becomesUnavailableIn) {
        case (true, nil): self = .available
        // A conversion of a larger number would end the program.
        case (true, let seconds?):
            self = .becomingUnavailable(at: now.advanced(by: .seconds(min(max(seconds, 0), 1e6))))
        case (false, _): self = .unavailable
        }
    }

    /// Whether it reports the same as an earlier state. The instants of one announcement differ, because the daemon sends
    /// the time that remains: by how long the replies were on their route.
    func isRepetition(of earlier: ProtectedData) -> Bool {
        switch (self, earlier) {
        case (.becomingUnavailable(let instant), .becomingUnavailable(let other)):
            (.seconds(-1) ... .seconds(1)).contains(other.duration(to: instant))
        default: self == earlier
        }
    }
}

extension WaymarkClient {
    /// Whether protected data can be read at present.
    ///
    ///     guard try await client.isProtectedDataAvailable() else { return }
    ///
    /// Every program may call this, without a manifest.
    ///
    /// - Throws: A `WaymarkError`, or `CancellationError` if the task is cancelled.
    public func isProtectedDataAvailable() async throws -> Bool { try await protectedData().isAvailable }

    /// Whether protected data can be read at present, and until when.
    ///
    /// - Throws: As `isProtectedDataAvailable()`.
    public func protectedData() async throws -> ProtectedData {
        ProtectedData(try await reply(to: ProtectionInterface.Monitor()), receivedAt: .now)
    }

    /// Whether protected data can be read, now and after every change.
    public func protectedDataUpdates() -> ProtectedDataUpdates { ProtectedDataUpdates(client: self) }
}
