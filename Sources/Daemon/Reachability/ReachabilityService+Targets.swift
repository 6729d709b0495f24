import Interfaces
import NetworkPaths
import Platform
import Reachability
import Varlink

// Hosts: calls of one user about the same host share what is known of it.

extension ReachabilityService {
    /// How long a name may take to be looked up.
    private static let patience = Duration.seconds(5)

    /// Reads which host a call is about; ends the call where that is none.
    func withTarget(of call: Call, _ body: (TargetKey) -> Void) {
        // Of an answer that nobody hears of nothing remains to be done.
        guard !call.request.oneway else { return }
        do throws(ParameterError) {
            let request = try TargetRequest(call.parameters)
            if let key = key(of: request, for: call) { body(key) }
        } catch {
            call.fail(error)
        }
    }

    private func key(of request: TargetRequest, for call: Call) -> TargetKey? {
        let key = TargetKey(request.host, port: request.port, uid: call.connection.peer.userID)
        if key == nil { refuse(call, .invalidHost, "The host is neither a name nor an address.") }
        return key
    }

    /// Answers at once; about a name once that is looked up.
    func getTarget(_ call: Call, _ key: TargetKey) {
        if case .address = key.host { return answer(call, key) }
        guard let host = host(key, for: call) else { return }
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
            refuse(call, .reachabilityUnavailable, "The daemon is short of memory. Try again later.")
            forget(call, host)
        }
    }

    func monitorTarget(_ call: Call, _ key: TargetKey) {
        guard let host = host(key, for: call) else { return }
        guard let target = watch.target(key) else { return forget(call, host) }
        call.onEnd = { [weak self, unowned call] in self?.forget(call, host) }
        host.add(call, target)
    }

    /// What somebody found who tried to reach a host, for the programs of the same user.
    func report(_ call: Call) {
        do throws(ParameterError) {
            let report = try TargetReport(call.parameters)
            guard let key = key(of: report.request, for: call) else { return }
            call.reply { _ in }
            watch.report(report.outcome, for: key)
        } catch {
            call.fail(error)
        }
    }

    private func answer(_ call: Call, _ key: TargetKey) {
        guard let (target, steps) = watch.explain(key) else { return }
        call.reply { TargetAnswer(target: target, steps: steps).writeMembers(to: &$0) }
    }

    private func end(_ call: Call, _ host: WatchedHost) {
        answer(call, host.key)
        forget(call, host)
    }

    // Which hosts are watched

    /// The host as it is watched for this call and others; nil where the call may not watch it, and is ended.
    private func host(_ key: TargetKey, for call: Call) -> WatchedHost? {
        if case .name = key.host, !watch.isWatched(call.connection.network) {
            refuse(
                call, .otherNetwork,
                "This program lives in another network than the one that is watched: names are not looked up for it."
                    + " Ask by address.")
            return nil
        }
        let isUnlimited = operators.isOperator(call.connection.peer)
        if let host = hosts[key] {
            if isUnlimited { host.isUnlimited = true }
            return host
        }
        guard isUnlimited || isWithinLimits(key, call) else { return nil }
        let host = WatchedHost(key, share: limitUser(key.uid))
        host.isUnlimited = isUnlimited
        hosts[key] = host
        hostsOfUser[host.share, default: 0] += 1
        watch.watch(key)
        if let target = watch.target(key) { _ = host.note(target) }
        return host
    }

    private func isWithinLimits(_ key: TargetKey, _ call: Call) -> Bool {
        let share = limitUser(key.uid)
        if hostsOfUser[share, default: 0] >= Self.mostHosts {
            refuse(
                call, .tooManyTargets,
                "This user's programs watch \(Self.mostHosts) hosts already. End some of their calls first.")
            return false
        }
        if case .name = key.host, lookups.left(for: share, at: clock.monotonicNanoseconds) == 0 {
            refuse(
                call, .tooManyTargets,
                "Too many names were looked up for this user: \(Self.lookupsAtOnce) at once, and one a second more."
                    + " Watch a host instead of asking for it again and again.")
            return false
        }
        return true
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
    func tell(_ key: TargetKey, _ target: TargetReachability) {
        guard let host = hosts[key] else { return }
        host.tell(target)
        if host.note(target) { unrecorded[key] = target }
    }

    /// A host's name was looked up: who waits for that is answered, unless nobody was asked and nothing is known.
    func lookedUp(_ key: TargetKey) {
        guard let host = hosts[key], !watch.isAwaitingName(key) else { return }
        for question in Array(host.questions.values) { end(question.call, host) }
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
            || lookups.take(limitUser(uid), at: clock.monotonicNanoseconds)
    }
}
