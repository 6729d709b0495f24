import Interfaces
import NetworkPaths
import Platform
import Reachability
import Varlink

/// `io.waymark.Reachability`: tells anybody how the network can be reached, and nothing of positions.
///
/// A loss leaves for the clients in the turn of the loop in which the kernel announces it.
@DaemonActor
final class ReachabilityService {
    let watch: NetworkWatch
    var operators: OperatorPolicy
    /// The user to whose limits a user's calls count: one for all user ids without an account.
    var limitUser: @DaemonActor (UInt32) -> UInt32 = { $0 }
    var hosts: [TargetKey: WatchedHost] = [:]
    /// How many hosts are watched for each user.
    var hostsOfUser: [UInt32: Int] = [:]
    /// How many names may be looked up for each user that is no operator.
    var lookups = Allowance<UInt32>(ReachabilityService.lookupsAtOnce, every: .seconds(1))
    /// Hosts whose change is to be recorded.
    var unrecorded: [TargetKey: TargetReachability] = [:]

    let changes: Changes
    let clock: any TimeSource
    private var monitors: [ObjectIdentifier: Call] = [:] {
        didSet { watch.isPathWatched = !monitors.isEmpty }
    }
    /// The path as it was told last, encoded once for all calls.
    private var reply: EncodedReply?

    /// How many hosts a user's programs may watch at once, unless it is an operator.
    static let mostHosts = 64
    /// How many names may be looked up for such a user at once: each second allows one more.
    static let lookupsAtOnce = 60

    init(watch: NetworkWatch, operators: OperatorPolicy, changes: Changes, clock: any TimeSource) {
        self.changes = changes
        self.watch = watch
        self.operators = operators
        self.clock = clock
    }

    /// Streams that are open.
    var monitorCount: Int { monitors.count + hosts.values.reduce(0) { $0 + $1.monitors.count } }

    /// Answers a call, now or later.
    func handle(_ call: Call) {
        // The connection ends with the daemon, and who waits comes again. An error would say that waiting is no use.
        if watch.hasStopped { return }
        if let problem = watch.problem {
            return call.fail(
                ReachabilityInterface.Failure.unavailable(message: "The network cannot be watched: \(problem)."))
        }
        ReachabilityInterface.perform(call, by: self)
    }

    // The path

    func getPath(_ call: MethodCall<ReachabilityInterface.GetPath>) {
        if let path = watch.path { call.call.reply(encoded(path).final) }
    }

    func monitorPath(_ call: MethodCall<ReachabilityInterface.MonitorPath>) {
        let call = call.call
        guard let path = watch.path else { return }
        monitors[ObjectIdentifier(call)] = call
        call.onEnd = { [weak self, unowned call] in self?.monitors[ObjectIdentifier(call)] = nil }
        let reply = encoded(path)
        call.offer { _ in reply }
    }

    /// The path has changed.
    func notify(_ path: NetworkPath) {
        reply = nil
        guard !monitors.isEmpty else { return }
        let reply = encoded(path)
        for call in monitors.values { call.offer { _ in reply } }
    }

    private func encoded(_ path: NetworkPath) -> EncodedReply {
        if let reply { return reply }
        let new = EncodedReply(ReachabilityInterface.MonitorPath.Reply(path: path), continues: true)
        reply = new
        return new
    }
}
