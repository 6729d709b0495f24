import Interfaces
import JSONText
import NetworkPaths
import Platform
import TestSupport
import Testing
import Varlink

/// A client of `io.waymark.Reachability`.
final class NetworkReader {
    private let client: Client
    private var stream: ReplyStream?

    /// Connects to a daemon, as the test's own user or as another.
    init(_ socketPath: String, as user: UInt32? = nil) throws {
        if let user {
            client = try Client(adopting: OtherUser.connect(to: socketPath, as: user))
        } else {
            client = try Client(path: socketPath, timeout: .seconds(60))
        }
    }

    /// The path now.
    func path() throws -> NetworkPath? {
        let reply = try client.call(ReachabilityInterface.Method.getPath.rawValue, timeout: .seconds(60))
        return reply["path"].flatMap(NetworkPath.init)
    }

    /// A host now.
    func target(_ host: String, port: UInt16? = nil) throws -> TargetAnswer? {
        TargetAnswer(
            try client.call(
                ReachabilityInterface.Method.getTarget.rawValue, Self.parameters(host, port), timeout: .seconds(60)))
    }

    /// A host by name once it is as wanted: the daemon replies after five seconds also where no look-up has ended, as
    /// on a busy machine.
    func target(
        _ host: String, port: UInt16? = nil, where isWanted: (TargetReachability) -> Bool
    ) throws -> TargetAnswer? {
        var answer: TargetAnswer?
        _ = try eventually {
            answer = try target(host, port: port)
            return answer.map { isWanted($0.target) } == true
        }
        return answer
    }

    /// Reports the result of an attempt.
    func report(_ outcome: ReportedOutcome, _ host: String) throws {
        try client.call(
            ReachabilityInterface.Method.reportTarget.rawValue,
            ["host": .string(host), "outcome": .string(outcome.rawValue)],
            timeout: .seconds(60))
    }

    /// Watches the path from now on.
    func watchPath() throws { stream = try client.stream(ReachabilityInterface.Method.monitorPath.rawValue) }

    /// Watches a host from now on.
    func watch(_ host: String, port: UInt16? = nil) throws {
        stream = try client.stream(ReachabilityInterface.Method.monitorTarget.rawValue, Self.parameters(host, port))
    }

    /// The next path.
    func nextPath(within seconds: Double = Patience.daemon) throws -> NetworkPath {
        try #require(try next(seconds)?["path"].flatMap(NetworkPath.init))
    }

    /// The next state of the host.
    func nextTarget(within seconds: Double = Patience.daemon) throws -> TargetReachability {
        try #require(try next(seconds)?["target"].flatMap(TargetReachability.init))
    }

    /// The first of the paths to come with this status, those before it aside.
    func path(_ status: NetworkPath.Status) throws -> NetworkPath {
        for _ in 0..<20 {
            let path = try nextPath()
            if path.status == status { return path }
        }
        throw NotReported(description: "no path is \(status)")
    }

    /// The first of the paths to come that is expensive, those before it aside.
    func expensivePath() throws -> NetworkPath {
        for _ in 0..<20 {
            let path = try nextPath()
            if path.isExpensive { return path }
        }
        throw NotReported(description: "no path is expensive")
    }

    /// The first of the host's states to come with this status, those before it aside.
    func target(_ status: TargetReachability.Status) throws -> TargetReachability {
        for _ in 0..<20 {
            let target = try nextTarget()
            if target.status == status { return target }
        }
        throw NotReported(description: "no state is \(status)")
    }

    /// Whether nothing is reported for this time.
    func isQuiet(seconds: Double) throws -> Bool {
        try client.waitReadable(timeout: .seconds(seconds)) == .timedOut
    }

    /// An expected report did not arrive.
    struct NotReported: Error, CustomStringConvertible { let description: String }

    private func next(_ seconds: Double) throws -> JSON? {
        try stream?.next(timeout: .seconds(seconds))?.parameters
    }

    private static func parameters(_ host: String, _ port: UInt16?) -> JSON {
        var members = [JSON.Member("host", .string(host))]
        if let port { members.append(JSON.Member("port", .integer(Int64(port)))) }
        return .object(members)
    }
}
