import Platform

/// Which users are operators, for monitors that outlast the connections of an operator's program. Queried on threads,
/// because a directory server may not respond. Until the reply a user is none.
@DaemonActor
final class OperatorUsers {
    private var operators: OperatorPolicy
    private var known: [UInt32: Bool] = [:]
    private var pending: Set<UInt32> = []
    private let changes: Changes
    private let isMember: @Sendable (UInt32, UInt32) -> Bool?

    /// The operators of a policy; memberships are looked up by the function, which may block.
    init(
        _ operators: OperatorPolicy, changes: Changes,
        isMember: @escaping @Sendable (UInt32, UInt32) -> Bool? = { UserDatabase.isMember($0, of: $1) }
    ) {
        self.operators = operators
        self.changes = changes
        self.isMember = isMember
    }

    /// Applies another operators' group, or looks the members of the same one up again.
    func apply(_ operators: OperatorPolicy) {
        self.operators = operators
        for uid in known.keys { lookUp(uid) }
    }

    /// Whether a user is an operator, as far as is known now.
    func contains(_ uid: UInt32) -> Bool {
        if operators.isOperatorsOwn(uid) { return true }
        if known[uid] == nil { lookUp(uid) }
        return known[uid] ?? false
    }

    /// Looks a user up again, whose account may have changed.
    func accountChanged(_ uid: UInt32) { if known[uid] != nil { lookUp(uid) } }

    private func lookUp(_ uid: UInt32) {
        guard !operators.isOperatorsOwn(uid), let group = operators.groupID else { return set(uid, false) }
        guard pending.insert(uid).inserted else { return }
        do throws(SystemError) {
            try DetachedThread.start(name: "operators") { [weak self, isMember] in
                let reply = isMember(uid, group)
                DaemonActor.post { [weak self] in self?.received(reply, of: uid) }
            }
        } catch {
            pending.remove(uid)
            Log.error("whether uid \(uid) is an operator cannot be looked up: \(error)")
        }
    }

    private func received(_ reply: Bool?, of uid: UInt32) {
        pending.remove(uid)
        // A user database that cannot be queried changes nothing.
        set(uid, reply ?? known[uid] ?? false)
    }

    private func set(_ uid: UInt32, _ isOperator: Bool) {
        let before = known.updateValue(isOperator, forKey: uid) ?? false
        if isOperator != before { changes.report(.operatorChanged(uid: uid)) }
    }
}
