import Location

/// A value that can be intersected with another one of its type.
protocol Narrowable: Sendable {
    /// What both this value and the other one permit.
    func narrowed(to other: Self) -> Self
}

/// A decision together with its changes that are not durable yet. It says what was decided last and what is in effect, which differ
/// because only a durable change may widen.
///
/// | from (durable) | decided | in effect while pending | once durable | if not stored, also as the decision |
/// | --- | --- | --- | --- | --- |
/// | denied | always | denied | always | denied: a widening never takes effect |
/// | always | denied | denied | denied | denied: a narrowing remains until the next start |
/// | when in use, full | always, reduced | when in use, reduced | always, reduced | when in use, reduced |
///
/// Several changes may be pending, in the order of their tokens. Each contains the whole value, so a change that is
/// stored replaces earlier ones that were not.
struct Ledger<Value: Narrowable>: Sendable {
    private struct Decision: Sendable {
        let token: Policy.Token
        let value: Value
        var isLost = false
    }

    /// The value in effect without the pending changes: the durable one, or a narrower one.
    private var settled: Value
    private var inProgress: [Decision] = []
    /// Whether `settled` includes a change that could not be stored.
    private var isAfterLoss = false

    init(durable: Value) {
        settled = durable
    }

    /// The last decision, without the widening part of changes that could not be stored.
    var decided: Value {
        inProgress.reduce(settled) { $1.isLost ? $0.narrowed(to: $1.value) : $1.value }
    }

    /// What is in effect: the intersection of the durable value and all later changes.
    var inForce: Value { inProgress.reduce(settled) { $0.narrowed(to: $1.value) } }

    /// The token of the last change that may still become durable.
    var awaited: Policy.Token? { inProgress.last { !$0.isLost }?.token }

    /// Whether a change since the durable value could not be stored.
    var hasLost: Bool { isAfterLoss || inProgress.contains(where: \.isLost) }

    /// Whether the store has the last decision.
    var isSettled: Bool { inProgress.isEmpty && !hasLost }

    /// Adds a change that is stored with this token.
    mutating func decide(_ value: Value, _ token: Policy.Token) {
        inProgress.append(Decision(token: token, value: value))
    }

    /// The change with this token is durable, and with it all earlier ones that could be stored.
    mutating func persisted(_ token: Policy.Token) {
        guard let index = inProgress.lastIndex(where: { $0.token == token }) else { return }
        settled = inProgress[index].value
        inProgress.removeFirst(index + 1)
        isAfterLoss = false
        settle()
    }

    /// The change with this token could not be stored.
    mutating func lost(_ token: Policy.Token) {
        for index in inProgress.indices where inProgress[index].token == token { inProgress[index].isLost = true }
        settle()
    }

    private mutating func settle() {
        while let first = inProgress.first, first.isLost {
            settled = settled.narrowed(to: first.value)
            isAfterLoss = true
            inProgress.removeFirst()
        }
    }
}

extension Grant: Narrowable {
    /// The narrower of the two grants. If each is narrower in one respect, this grant with what both permit.
    func narrowed(to other: Grant) -> Grant {
        let extent = extent.narrowed(to: other.extent)
        if extent == other.extent { return other }
        var grant = self
        grant.permission = extent.permission
        grant.accuracy = extent.accuracy
        return grant
    }
}

/// As the switch of location services: on only if both are on.
extension Bool: Narrowable {
    func narrowed(to other: Bool) -> Bool { self && other }
}
