import Interfaces
import NetworkPaths

// The reachability of the network and of hosts. Every program may use it; none of these calls blocks a thread of the
// caller's.

extension WaymarkClient {
    /// The present path to the rest of the Internet: the equivalent of `NWPathMonitor.currentPath`.
    ///
    /// - Throws: A `WaymarkError`, or `CancellationError` if the task is cancelled.
    public func path() async throws -> NetworkPath {
        try await reply(to: ReachabilityInterface.GetPath()).path
    }

    /// The path, now and after every change.
    public func paths() -> NetworkPathUpdates { NetworkPathUpdates(client: self) }

    /// Whether and how a host, given by name or address, is reachable now.
    ///
    /// Waits up to 5 s for name servers. `examine` also returns the steps of the evaluation.
    ///
    /// - Throws: A `WaymarkError`: `.failed` with `InvalidHost` for an invalid host; `.refused` with `otherNetwork` for
    ///   a name if the program is in another network namespace than the one that the daemon watches.
    ///   `CancellationError` if the task is cancelled.
    public func target(host: String, port: UInt16? = nil) async throws -> TargetReachability {
        try await examine(host: host, port: port).target
    }

    /// The reachability of a host with the steps of its evaluation: the name, the rule, the route, the interface, the
    /// router.
    public func examine(host: String, port: UInt16? = nil) async throws -> TargetAnswer {
        try await reply(to: ReachabilityInterface.GetTarget(host: host, port: port))
    }

    /// The reachability of a host, now and after every change. Its name is looked up again whenever the path has
    /// changed.
    public func targets(host: String, port: UInt16? = nil) -> TargetUpdates {
        TargetUpdates(client: self, request: ReachabilityInterface.MonitorTarget(host: host, port: port))
    }

    /// Reports the outcome of an attempt to connect to a host. After three failures in a row the host is suspect for
    /// programs of the same user, until it answers or the path changes.
    public func report(_ outcome: ReportedOutcome, host: String, port: UInt16? = nil) async throws {
        _ = try await reply(to: ReachabilityInterface.ReportTarget(host: host, port: port, outcome: outcome))
    }
}
