import Configuration
import Durations
import GPSD
import Platform

extension GPSDAddress {
    /// A connection to gpsd at this address, not opened before it is needed; nil if gpsd is disabled.
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

    /// A local gpsd that was restarted is available again within a second. Frequent connection attempts are cheap, and
    /// they are made only while positions are needed.
    private static let localBackoff = Backoff(shortest: 100_000_000, longest: 500_000_000)
}
