import Interfaces
import NetworkPaths
import Platform
import Reachability
import Varlink

// Hosts: calls of one user about the same host share what is known of it.

extension ReachabilityService: ReachabilityInterface.Handler {
    /// How long a name may take to be looked up.
    private static let patience = Duration.seconds(5)

    private func key(
        _ host: String, _ port: UInt16?, for call: Call
    ) throws(ReachabilityInterface.Failure) -> TargetKey {
        guard let key = TargetKey(host, port: port, uid: call.connection.peer.userID) else {
            throw .invalidHost(message: "The host is neither a name nor an address.")
        }
        return key
    }

    /// Answers at once; about a name once that is looked up.
    func getTarget(
        _ call: MethodCall<ReachabilityInterface.GetTarget>
    ) throws(ReachabilityInterface.Failure) {
        let (request, call) = (call.parameters, call.call)
        // Of an answer that nobody hears of nothing remains to be done.
        guard !call.request.oneway else { return }
        let key = try key(request.host, request.port, for: call)
        if case .address = key.host { return answer(call, key) }
        let host = try host(key, for: call)
        // What others who watch it were told may be an hour old.
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
            Log.error("a call cannot wait: \(error)")
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

    /// What somebody found who tried to reach a host, for the programs of the same user.
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

    // Which hosts are watched

    /// The host as it is watched for this call and others.
    /// - Throws: Why the call may not watch it.
    private func host(_ key: TargetKey, for call: Call) throws(ReachabilityInterface.Failure) -> WatchedHost {
        if case .name = key.host, !watch.isWatched(call.connection.network) {
            throw .otherNetwork(
                message: "This program lives in another network than the one that is watched: names are not looked up"
                    + " for it. Ask by address.")
        }
        let isUnlimited = operators.isOperator(call.connection.peer)
        if let host = hosts[key] {
            if isUnlimited { host.isUnlimited = true }
            return host
        }
        if !isUnlimited { try checkLimits(key) }
        let host = WatchedHost(key, share: limitUser(key.uid))
        host.isUnlimited = isUnlimited
        hosts[key] = host
        hostsOfUser[host.share, default: 0] += 1
        watch.watch(key)
        if let target = watch.target(key) { _ = host.note(target) }
        return host
    }

    private func checkLimits(_ key: TargetKey) throws(ReachabilityInterface.Failure) {
        let share = limitUser(key.uid)
        if hostsOfUser[share, default: 0] >= Self.mostHosts {
            throw .tooManyTargets(
                message: "This user's programs watch \(Self.mostHosts) hosts already. End some of their calls first.")
        }
        if case .name = key.host, lookups.left(for: share, at: clock.monotonicNanoseconds) == 0 {
            throw .tooManyTargets(
                message: "Too many names were looked up for this user: \(Self.lookupsAtOnce) at once, and one a second"
                    + " more. Watch a host instead of asking for it again and again.")
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

    // What changes

    /// A host has changed.
    func notify(_ key: TargetKey, _ target: TargetReachability) {
        guard let host = hosts[key] else { return }
        host.notify(target)
        if host.note(target) { unrecorded[key] = target }
    }

    /// A host's name was looked up: who waits for that is answered, unless nobody was asked and nothing is known.
    func lookedUp(_ key: TargetKey) {
        guard let host = hosts[key], !watch.isAwaitingName(key) else { return }
        for query in Array(host.queries.values) { end(query.call, host) }
    }

    /// Everybody was told.
    func settled() {
        let changes = unrecorded
        unrecorded = [:]
        for (key, target) in changes {
            if let host = hosts[key] { self.changes.report(.targetChanged(host, target)) }
        }
    }

    /// Whether a name may be looked up for a user once more.
    func mayLookUp(for uid: UInt32) -> Bool {
        hosts.values.contains { $0.key.uid == uid && $0.isUnlimited }
            || lookups.consume(limitUser(uid), at: clock.monotonicNanoseconds)
    }
}
