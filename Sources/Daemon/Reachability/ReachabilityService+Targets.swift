import Interfaces
import NetworkPaths
import Platform
import Reachability
import Varlink

// Hosts: all calls of one user for the same host share its state.

extension ReachabilityService: ReachabilityInterface.Handler {
    /// How long `GetTarget` waits for a name's lookup.
    private static let patience = Duration.seconds(5)

    private func key(
        _ host: String, _ port: UInt16?, for call: Call
    ) throws(ReachabilityInterface.Failure) -> TargetKey {
        guard let key = TargetKey(host, port: port, uid: call.connection.peer.userID) else {
            throw .invalidHost(message: "The host is neither a name nor an address.")
        }
        return key
    }

    /// Replies at once for an address, and when the lookup has ended for a name.
    func getTarget(
        _ call: MethodCall<ReachabilityInterface.GetTarget>
    ) throws(ReachabilityInterface.Failure) {
        let (request, call) = (call.parameters, call.call)
        // A one-way call has no reply, so there is nothing left to do.
        guard !call.request.oneway else { return }
        let key = try key(request.host, request.port, for: call)
        if case .address = key.host { return answer(call, key) }
        let host = try host(key, for: call)
        // The addresses that other calls watch may be an hour old.
        watch.lookUpAgain(key)
        guard watch.isAwaitingName(key) else {
            answer(call, key)
            return forget(call, host)
        }
        do throws(SystemError) {
            let timer = try TimerSource(accuracy: .milliseconds(10)) { [weak self, weak call] in
                if let call { self?.end(call, host) }
            }
            timer.arm(after: Self.patience)
            host.add(waiting: call, timer)
            call.onEnd = { [weak self, unowned call] in self?.forget(call, host) }
        } catch {
            Log.error("cannot set the timer of a GetTarget call: \(error)")
            forget(call, host)
            throw .unavailable(message: "The daemon is short of memory. Try again later.")
        }
    }

    func monitorTarget(
        _ call: MethodCall<ReachabilityInterface.MonitorTarget>
    ) throws(ReachabilityInterface.Failure) {
        let (request, call) = (call.parameters, call.call)
        guard !call.request.oneway else { return }
        let key = try key(request.host, request.port, for: call)
        let host = try host(key, for: call)
        guard let target = watch.target(key) else { return forget(call, host) }
        call.onEnd = { [weak self, unowned call] in self?.forget(call, host) }
        host.add(call, target)
    }

    /// Applies a program's report that it has tried to reach a host, for all programs of the same user.
    func reportTarget(
        _ call: MethodCall<ReachabilityInterface.ReportTarget>
    ) throws(ReachabilityInterface.Failure) {
        let key = try key(call.parameters.host, call.parameters.port, for: call.call)
        call.reply(EmptyReply())
        watch.report(call.parameters.outcome, for: key)
    }

    private func answer(_ call: Call, _ key: TargetKey) {
        guard let (target, steps) = watch.explain(key) else { return }
        call.reply(EncodedReply(TargetAnswer(target: target, steps: steps)))
    }

    private func end(_ call: Call, _ host: WatchedHost) {
        answer(call, host.key)
        forget(call, host)
    }

    // The watched hosts

    /// The watched host for this call, shared with other calls.
    /// - Throws: Why the call may not watch the host.
    private func host(_ key: TargetKey, for call: Call) throws(ReachabilityInterface.Failure) -> WatchedHost {
        if case .name = key.host, !watch.isWatched(call.connection.network) {
            throw .otherNetwork(
                message: "This program runs in another network namespace than the daemon, so its names are not"
                    + " looked up. Name the host by its address.")
        }
        let isUnlimited = operators.isOperator(call.connection.peer)
        if let host = hosts[key] {
            if isUnlimited { host.isUnlimited = true }
            return host
        }
        if !isUnlimited { try checkLimits(key) }
        let host = WatchedHost(key, share: accounts.limitUser(key.uid))
        host.isUnlimited = isUnlimited
        hosts[key] = host
        hostsOfUser[host.share, default: 0] += 1
        watch.watch(key)
        if let target = watch.target(key) { _ = host.note(target) }
        return host
    }

    private func checkLimits(_ key: TargetKey) throws(ReachabilityInterface.Failure) {
        let share = accounts.limitUser(key.uid)
        if hostsOfUser[share, default: 0] >= Self.mostHosts {
            throw .tooManyTargets(
                message: "This user's programs watch \(Self.mostHosts) hosts, the limit. End some calls first.")
        }
        if case .name = key.host, lookups.left(for: share, at: clock.monotonicNanoseconds) == 0 {
            throw .tooManyTargets(
                message: "Too many names were looked up for this user. The limit is \(Self.lookupsAtOnce) at once"
                    + " and one more each second. Watch a host instead of requesting it repeatedly.")
        }
    }

    private func forget(_ call: Call, _ host: WatchedHost) {
        host.remove(call)
        guard host.isUnused, hosts[host.key] === host else { return }
        hosts[host.key] = nil
        unrecorded[host.key] = nil
        let left = hostsOfUser[host.share, default: 1] - 1
        hostsOfUser[host.share] = left > 0 ? left : nil
        watch.unwatch(host.key)
    }

    // Changes

    /// Sends a changed host to the calls that watch it.
    func notify(_ key: TargetKey, _ target: TargetReachability) {
        guard let host = hosts[key] else { return }
        host.notify(target)
        if host.note(target) { unrecorded[key] = target }
    }

    /// Replies to the calls that wait for this host's lookup, unless no server was queried and the result is still
    /// expected.
    func lookedUp(_ key: TargetKey) {
        guard let host = hosts[key], !watch.isAwaitingName(key) else { return }
        for query in Array(host.queries.values) { end(query.call, host) }
    }

    /// Records the changed hosts, after all clients were notified.
    func settled() {
        let changes = unrecorded
        unrecorded = [:]
        for (key, target) in changes {
            if let host = hosts[key] { self.changes.report(.hostStatusChanged(host, target)) }
        }
    }

    /// Whether a name may be looked up for a user once more.
    func mayLookUp(for uid: UInt32) -> Bool {
        hosts.values.contains { $0.key.uid == uid && $0.isUnlimited }
            || lookups.consume(accounts.limitUser(uid), at: clock.monotonicNanoseconds)
    }
}
