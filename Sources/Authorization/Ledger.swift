import Location

/// What can be narrowed by a decision that counts before it is stored.
protocol Narrowable: Sendable {
    /// What this and the other both allow, as the one of them that says so.
    func narrowed(to other: Self) -> Self
}

/// What was decided, what of it is durable, and what of it counts.
///
/// | from (durable) | decided | while under way counts | durable: counts | not stored: counts, and is decided |
/// | --- | --- | --- | --- | --- |
/// | denied | always | denied | always | denied: a widening never takes effect |
/// | always | denied | denied | denied | denied: a narrowing stays, until the next start |
/// | when in use, full | always, reduced | when in use, reduced | always, reduced | when in use, reduced |
///
/// Several may be under way, in the order of their tokens. Each holds all of it: one that is stored makes up for those
/// before it that were not.
struct Ledger<Value: Narrowable>: Sendable {
    private struct Decision: Sendable {
        let token: Policy.Token
        let value: Value
        var isLost = false
    }

    /// What holds without those under way: durable, or less than that.
    private var settled: Value
    private var inProgress: [Decision] = []
    /// Whether `settled` comes after something that could not be stored.
    private var isAfterLoss = false

    init(durable: Value) {
        settled = durable
    }

    /// What was decided last, without what could not be stored.
    var decided: Value {
        inProgress.reduce(settled) { $1.isLost ? $0.narrowed(to: $1.value) : $1.value }
    }

    /// What counts: only what everything allows that was decided since what is durable.
    var inForce: Value { inProgress.reduce(settled) { $0.narrowed(to: $1.value) } }

    /// What is still to become durable, of that the last.
    var awaited: Policy.Token? { inProgress.last { !$0.isLost }?.token }

    /// Whether anything was decided since what is durable that could not be stored.
    var hasLost: Bool { isAfterLoss || inProgress.contains(where: \.isLost) }

    /// Whether the store has what was decided, as far as is known.
    var isSettled: Bool { inProgress.isEmpty && !hasLost }

    /// Counts in a decision that is stored with this token.
    mutating func decide(_ value: Value, _ token: Policy.Token) {
        inProgress.append(Decision(token: token, value: value))
    }

    /// What has this token is durable, and with it all that was to be before it and still can be.
    mutating func persisted(_ token: Policy.Token) {
        guard let index = inProgress.lastIndex(where: { $0.token == token }) else { return }
        settled = inProgress[index].value
        inProgress.removeFirst(index + 1)
        isAfterLoss = false
        settle()
    }

    /// What has this token is not durable and never will be.
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
    func narrowed(to other: Grant) -> Grant {
        let extent = extent.narrowed(to: other.extent)
        if extent == other.extent { return other }
        var grant = self
        grant.permission = extent.permission
        grant.accuracy = extent.accuracy
        return grant
    }
}

/// Whether location services are on.
extension Bool: Narrowable {
    func narrowed(to other: Bool) -> Bool { self && other }
}
