import NetworkPaths
import Platform
import Reachability
import Varlink

/// A host that a user's programs ask about: watched once for all of their calls.
@DaemonActor
final class WatchedHost {
    let key: TargetKey
    /// The user to whose limits it counts.
    let share: UInt32
    /// The calls of `MonitorTarget`.
    private(set) var monitors: [ObjectIdentifier: Call] = [:]
    /// The calls of `GetTarget` that wait for a name, with the time they have.
    private(set) var queries: [ObjectIdentifier: (call: Call, timer: TimerSource)] = [:]
    /// As it was told last, encoded once for all calls.
    private var reply: EncodedReply?
    /// Whether an operator has asked about it: then no limit holds.
    var isUnlimited = false
    /// What the journal says of it: nil as long as nothing was found out.
    private(set) var recorded: TargetReachability.Status?

    init(_ key: TargetKey, share: UInt32) {
        self.key = key
        self.share = share
    }

    /// Whether no call is about it.
    var isUnused: Bool { monitors.isEmpty && queries.isEmpty }

    /// Adds a call that is told all changes, the first of it what is known now.
    func add(_ call: Call, _ target: TargetReachability) {
        monitors[ObjectIdentifier(call)] = call
        offer(encoded(target), to: call)
    }

    /// Adds a call that waits for the answer, for as long as its timer runs.
    func add(waiting call: Call, _ timer: TimerSource) { queries[ObjectIdentifier(call)] = (call, timer) }

    /// Forgets a call.
    func remove(_ call: Call) {
        monitors[ObjectIdentifier(call)] = nil
        queries[ObjectIdentifier(call)] = nil
    }

    /// Tells all calls that are told changes.
    func notify(_ target: TargetReachability) {
        reply = nil
        guard !monitors.isEmpty else { return }
        let reply = encoded(target)
        for call in monitors.values { offer(reply, to: call) }
    }

    /// Notes how it stands; says whether that is news for the journal: what is found out at first is none.
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
