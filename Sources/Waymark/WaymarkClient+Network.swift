import Interfaces
import JSONText
import NetworkPaths
import Varlink

// Whether and how the network can be reached. Anybody may ask; none of these calls blocks a thread of the caller's.

extension WaymarkClient {
    /// How this machine would send to the rest of the world now: what `NWPathMonitor.currentPath` is.
    ///
    /// - Throws: a `WaymarkError`, or `CancellationError` where the task is cancelled.
    public func path() async throws -> NetworkPath {
        let reply = try await reply(to: ReachabilityMethod.getPath)
        guard let path = reply["path"].flatMap(NetworkPath.init) else {
            throw WaymarkError.notUnderstood("a path without a status")
        }
        return path
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
        let request = TargetRequest(host: host, port: port)
        let reply = try await reply(to: ReachabilityMethod.getTarget, parameters: request.bytes)
        guard let answer = TargetAnswer(reply) else { throw WaymarkError.notUnderstood("a target without a status") }
        return answer
    }

    /// Whether and how a host can be reached, now and after every change. Its name is looked up again whenever the path
    /// has changed.
    public func targets(host: String, port: UInt16? = nil) -> TargetUpdates {
        TargetUpdates(client: self, request: TargetRequest(host: host, port: port))
    }

    /// Tells the daemon what came of trying to reach a host. Three failures in a row make the host suspect for programs
    /// of the same user, until it answers or the path changes.
    public func report(_ outcome: TargetReport.Outcome, host: String, port: UInt16? = nil) async throws {
        var writer = JSONWriter()
        TargetReport(TargetRequest(host: host, port: port), outcome).write(to: &writer)
        _ = try await reply(to: ReachabilityMethod.reportTarget, parameters: writer.bytes)
    }
}

extension TargetRequest {
    /// The parameters as JSON text.
    var bytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }
}
