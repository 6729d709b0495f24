import Authorization
import Location
import Platform
import Varlink

// Positions that are sent together, later. One timer serves all streams, so that their wake-ups coincide.

extension LocationService {
    /// Nanoseconds by which positions may be sent early, together with others.
    private static let early: UInt64 = 50_000_000

    /// Positions of a stream have to be sent by this instant of CLOCK_MONOTONIC, in nanoseconds.
    func sendDelayed(by deadline: UInt64) {
        guard deadline < delayedUntil else { return }
        delayedUntil = deadline
        // The timer may expire so late.
        delayTimer?.arm(at: deadline - min(deadline, Self.early))
    }

    /// Sends the delayed positions that are due about now.
    func sendDelayed() {
        delayedUntil = .max
        let now = authorizer.instant
        for stream in Array(streams.values) {
            guard let deadline = stream.delayedUntil else { continue }
            if deadline <= now.monotonicNanoseconds.addingClamped(2 * Self.early) {
                send(of: stream, at: now)
            } else {
                sendDelayed(by: deadline)
            }
        }
    }

    /// Sends all delayed positions, because this process ends.
    func sendAllDelayed() {
        let now = authorizer.instant
        for stream in Array(streams.values) where stream.delayedUntil != nil { send(of: stream, at: now) }
    }

    private func send(of stream: PositionStream, at now: Instant) {
        let decision = authorizer.decide(for: stream.session, at: now)
        stream.sendDelayed(decision)
        if decision.access.feed != stream.feed { review(stream) }
    }
}
