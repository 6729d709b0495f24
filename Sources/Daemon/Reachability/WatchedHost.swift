import NetworkPaths
import Platform
import Reachability
import Varlink

/// A host that a user's programs query, watched once for all of their calls.
@DaemonActor
final class WatchedHost {
    let key: TargetKey
    /// The user whose limits the host counts against.
    let share: UInt32
    /// The calls of `MonitorTarget`.
    private(set) var monitors: [ObjectIdentifier: Call] = [:]
    /// The calls of `GetTarget` that wait for a name's lookup, with the timer that limits the wait.
    private(set) var queries: [ObjectIdentifier: (call: Call, timer: TimerSource)] = [:]
    /// The last reported state, encoded once for all calls.
    private var reply: EncodedReply?
    /// Whether an operator has called for this host, so that no limit applies.
    var isUnlimited = false
    /// The status last recorded in the journal's terms; nil until a first status is known.
    private(set) var recorded: TargetReachability.Status?

    init(_ key: TargetKey, share: UInt32) {
        self.key = key
        self.share = share
    }

    /// Whether no call uses the host any more.
    var isUnused: Bool { monitors.isEmpty && queries.isEmpty }

    /// Adds a call that receives all changes, and sends it the present state first.
    func add(_ call: Call, _ target: TargetReachability) {
        monitors[ObjectIdentifier(call)] = call
        offer(encoded(target), to: call)
    }

    /// Adds a call that waits for a lookup until its timer fires.
    func add(waiting call: Call, _ timer: TimerSource) { queries[ObjectIdentifier(call)] = (call, timer) }

    /// Removes a call.
    func remove(_ call: Call) {
        monitors[ObjectIdentifier(call)] = nil
        queries[ObjectIdentifier(call)] = nil
    }

    /// Sends a changed state to all calls that watch the host.
    func notify(_ target: TargetReachability) {
        reply = nil
        guard !monitors.isEmpty else { return }
        let reply = encoded(target)
        for call in monitors.values { offer(reply, to: call) }
    }

    /// Remembers the status. Returns whether the change belongs in the journal: the first known status does not.
    func note(_ target: TargetReachability) -> Bool {
        guard target.reason != .resolving else { return false }
        defer { recorded = target.status }
        return recorded != nil && recorded != target.status
    }

    private func offer(_ reply: EncodedReply, to call: Call) {
        call.offer { _ in reply }
    }

    private func encoded(_ target: TargetReachability) -> EncodedReply {
        if let reply { return reply }
        let new = EncodedReply(continues: true) { writer in
            writer.key("target")
            target.write(to: &writer)
        }
        reply = new
        return new
    }
}
