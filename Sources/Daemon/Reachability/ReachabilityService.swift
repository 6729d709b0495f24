import Accounts
import Interfaces
import NetworkPaths
import Platform
import Reachability
import Varlink

/// `io.waymark.Reachability`: reports the state of the network to any client, and nothing of positions.
///
/// A loss is sent to the clients in the same iteration of the event loop in which the kernel announces it.
@DaemonActor
final class ReachabilityService {
    let watch: NetworkWatch
    var operators: OperatorPolicy
    let accounts: UserAccounts
    var hosts: [TargetKey: WatchedHost] = [:]
    /// The number of watched hosts of each user.
    var hostsOfUser: [UInt32: Int] = [:]
    /// The remaining name lookups of each user who is no operator.
    var lookups = Allowance<UInt32>(ReachabilityService.lookupsAtOnce, every: .seconds(1))
    /// Hosts whose change is still to be recorded.
    var unrecorded: [TargetKey: TargetReachability] = [:]

    let changes: Changes
    let clock: any TimeSource
    private var monitors: [ObjectIdentifier: Call] = [:] {
        didSet { watch.isPathWatched = !monitors.isEmpty }
    }
    /// The last reported path, encoded once for all calls.
    private var reply: EncodedReply?

    /// The maximum number of hosts that the programs of a user who is no operator may watch at once.
    static let mostHosts = 64
    /// The maximum number of lookups of such a user at once. Each second allows one more.
    static let lookupsAtOnce = 60

    init(
        watch: NetworkWatch, operators: OperatorPolicy, accounts: UserAccounts, changes: Changes,
        clock: any TimeSource
    ) {
        self.changes = changes
        self.watch = watch
        self.operators = operators
        self.accounts = accounts
        self.clock = clock
        watch.limits = self
    }

    /// The number of open streams.
    var monitorCount: Int { monitors.count + hosts.values.reduce(0) { $0 + $1.monitors.count } }

    /// Replies to a call, now or later.
    func handle(_ call: Call) {
        // The connection ends with the daemon, and a waiting client reconnects. An error reply would make it give up
        // instead.
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

    /// Sends a changed path to the calls that watch it.
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
