import Interfaces
import NetworkPaths

// Whether and how the network can be reached. Anybody may ask; none of these calls blocks a thread of the caller's.

extension WaymarkClient {
    /// How this machine would send to the rest of the world now: what `NWPathMonitor.currentPath` is.
    ///
    /// - Throws: a `WaymarkError`, or `CancellationError` where the task is cancelled.
    public func path() async throws -> NetworkPath {
        try await reply(to: ReachabilityInterface.GetPath()).path
    }

    /// The same, now and after every change.
    public func paths() -> NetworkPathUpdates { NetworkPathUpdates(client: self) }

    /// Whether and how a host, given by name or address, can be reached now.
    ///
    /// Waits up to 5 s for name servers. See `examine` for what was looked at to know.
    ///
    /// - Throws: a `WaymarkError`: `.failed` with `InvalidHost` for what is no host, `.refused` with `otherNetwork` for a
    ///   name where the program lives in another network than the daemon watches; `CancellationError` where the task is
    ///   cancelled.
    public func target(host: String, port: UInt16? = nil) async throws -> TargetReachability {
        try await examine(host: host, port: port).target
    }

    /// The same with the chain of what was looked at: the name, the rule, the route, the interface, the router.
    public func examine(host: String, port: UInt16? = nil) async throws -> TargetAnswer {
        try await reply(to: ReachabilityInterface.GetTarget(host: host, port: port))
    }

    /// Whether and how a host can be reached, now and after every change. Its name is looked up again whenever the path
    /// has changed.
    public func targets(host: String, port: UInt16? = nil) -> TargetUpdates {
        TargetUpdates(client: self, request: ReachabilityInterface.MonitorTarget(host: host, port: port))
    }

    /// Tells the daemon what came of trying to reach a host. Three failures in a row make the host suspect for programs
    /// of the same user, until it answers or the path changes.
    public func report(_ outcome: ReportedOutcome, host: String, port: UInt16? = nil) async throws {
        _ = try await reply(to: ReachabilityInterface.ReportTarget(host: host, port: port, outcome: outcome))
    }
}
