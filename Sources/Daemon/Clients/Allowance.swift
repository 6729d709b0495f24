import Durations
import Platform

/// How often each of many may do something: so many times at once, and once more with each interval that passes.
///
///     3 at once, one more a minute: 0:00 yes yes yes no   0:59 no   1:00 yes no   9:00 yes yes yes no
///
/// Of each it keeps one number, when all is allowed again, and forgets who is there already. What there is no room
/// for shares one allowance, so that neither time nor memory grows with those who ask.
struct Allowance<Key: Hashable> {
    /// How often at once.
    let most: UInt64
    /// When one more is allowed, in nanoseconds.
    let interval: UInt64
    /// How many are remembered.
    let capacity: Int

    /// When each has everything again, in nanoseconds of CLOCK_MONOTONIC.
    private var fullAt: [Key: UInt64] = [:]
    /// The same for all those for whom there was no room.
    private var othersFullAt: UInt64 = 0
    /// Before this there is nobody to be forgotten.
    private var forgetsAt: UInt64 = 0

    init(_ most: Int, every interval: Duration, capacity: Int = 4_096) {
        self.most = UInt64(clamping: most)
        self.interval = interval.nanoseconds
        self.capacity = capacity
    }

    /// How many are remembered now.
    var count: Int { fullAt.count }

    /// How often it may do it now.
    func left(for key: Key, at now: UInt64) -> UInt64 {
        let missing = max(full(key), now) - now
        return most - min(most, (missing + interval - 1) / interval)
    }

    /// When it may do it so many times.
    func time(of count: UInt64, for key: Key) -> UInt64 {
        let missing = (most - min(most, count)) * interval
        return full(key) - min(full(key), missing)
    }

    /// Counts that it does it; false where it may not.
    mutating func consume(_ key: Key, at now: UInt64) -> Bool {
        guard left(for: key, at: now) > 0 else { return false }
        if fullAt[key] == nil, fullAt.count >= capacity { forget(at: now) }
        let new = max(full(key), now) + interval
        if fullAt[key] == nil, fullAt.count >= capacity { othersFullAt = new } else { fullAt[key] = new }
        return true
    }

    /// Allows it everything again.
    mutating func reset(_ key: Key) { fullAt[key] = nil }

    /// Allows everybody everything again.
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
