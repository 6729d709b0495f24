import Durations
import Platform

/// A rate limit for each of many keys: so many actions at once, plus one for each interval that passes.
///
///     3 at once, one more a minute: 0:00 yes yes yes no   0:59 no   1:00 yes no   9:00 yes yes yes no
///
/// For each key it stores a single number, the time at which the full allowance is available again, and drops keys
/// whose time has passed. Keys for which there is no room share one allowance, so neither time nor memory grows with
/// their number.
struct Allowance<Key: Hashable> {
    /// The maximum number of actions at once.
    let most: UInt64
    /// The interval for one more action, in nanoseconds.
    let interval: UInt64
    /// The maximum number of stored keys.
    let capacity: Int

    /// When each key has its full allowance again, in nanoseconds of CLOCK_MONOTONIC.
    private var fullAt: [Key: UInt64] = [:]
    /// The same for all keys for which there is no room.
    private var othersFullAt: UInt64 = 0
    /// Before this time no key can be dropped.
    private var forgetsAt: UInt64 = 0

    init(_ most: Int, every interval: Duration, capacity: Int = 4_096) {
        self.most = UInt64(clamping: most)
        self.interval = interval.nanoseconds
        self.capacity = capacity
    }

    /// The number of stored keys.
    var count: Int { fullAt.count }

    /// The number of actions that a key has left.
    func left(for key: Key, at now: UInt64) -> UInt64 {
        let missing = max(full(key), now) - now
        return most - min(most, (missing + interval - 1) / interval)
    }

    /// When a key may do so many actions, in nanoseconds of CLOCK_MONOTONIC.
    func time(of count: UInt64, for key: Key) -> UInt64 {
        let missing = (most - min(most, count)) * interval
        return full(key) - min(full(key), missing)
    }

    /// Counts an action. Returns false if it is not allowed.
    mutating func consume(_ key: Key, at now: UInt64) -> Bool {
        guard left(for: key, at: now) > 0 else { return false }
        if fullAt[key] == nil, fullAt.count >= capacity { forget(at: now) }
        let new = max(full(key), now) + interval
        if fullAt[key] == nil, fullAt.count >= capacity { othersFullAt = new } else { fullAt[key] = new }
        return true
    }

    /// Restores a key's full allowance.
    mutating func reset(_ key: Key) { fullAt[key] = nil }

    /// Restores every key's full allowance.
    mutating func reset() {
        fullAt = [:]
        othersFullAt = 0
    }

    private func full(_ key: Key) -> UInt64 {
        fullAt[key] ?? (fullAt.count < capacity ? 0 : othersFullAt)
    }

    private mutating func forget(at now: UInt64) {
        guard now >= forgetsAt else { return }
        fullAt = fullAt.filter { $0.value > now }
        forgetsAt = fullAt.count < capacity ? 0 : now + interval
    }
}
