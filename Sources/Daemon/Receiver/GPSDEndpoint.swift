import Configuration
import Durations
import GPSD
import Platform

extension GPSDAddress {
    /// A connection to gpsd at this address, not made before somebody wants it; nil where there is to be none.
    @DaemonActor
    func connection(
        _ settings: Settings.Receiver, clock: any TimeSource,
        handler: @escaping @DaemonActor (Connection.Event) -> Void
    ) throws -> Connection? {
        guard self != .none else { return nil }
        let endpoint = try Endpoint(description)
        var limits = Session.Limits()
        limits.stale = settings.staleAfter.nanoseconds
        return try Connection(
            to: endpoint, limits: limits, backoff: isLocal ? Self.localBackoff : Backoff(), clock: clock,
            handler: handler)
    }

    private var isLocal: Bool {
        switch self {
        case .none, .unix: true
        case .tcp(let host, _): host == "localhost" || host.hasPrefix("127.") || host == "::1"
        }
    }

    /// A gpsd of this machine that was restarted is back within the second: asking it costs next to nothing, and the
    /// daemon asks only while somebody needs positions.
    private static let localBackoff = Backoff(shortest: 100_000_000, longest: 500_000_000)
}
