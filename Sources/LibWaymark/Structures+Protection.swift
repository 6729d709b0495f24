import CWaymark
import Interfaces

// The structure of `waymark.h` about data protection, made from a reply of the daemon.

extension waymark_protected_data {
    /// The state in a reply that was received at an instant: nanoseconds of CLOCK_MONOTONIC.
    init(_ reply: ProtectionInterface.Monitor.Reply, receivedAt now: UInt64) {
        let state =
            switch (reply.isProtectedDataAvailable, reply.becomesUnavailableIn) {
            case (true, nil): WAYMARK_PROTECTED_DATA_AVAILABLE
            case (true, _): WAYMARK_PROTECTED_DATA_BECOMING_UNAVAILABLE
            case (false, _): WAYMARK_PROTECTED_DATA_UNAVAILABLE
            }
        let remaining = reply.isProtectedDataAvailable ? reply.becomesUnavailableIn : nil
        self.init(
            state: Int32(state.rawValue), unavailable_at: remaining.map { Double(now) / 1e9 + max($0, 0) } ?? .nan)
    }

    /// Whether it reports the same as an earlier state. The instants of one announcement differ, because the daemon sends
    /// the time that remains: by how long the replies were on their route.
    func isRepetition(of earlier: waymark_protected_data) -> Bool {
        guard state == earlier.state else { return false }
        return unavailable_at.isNaN || abs(unavailable_at - earlier.unavailable_at) <= 1
    }
}
