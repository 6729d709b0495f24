/// The names that are watched, what is known of them, and which are being looked up.
///
/// Users have nothing in common here: else whoever asks would learn from the time it takes which names others watch.
struct NameBook: Sendable {
    /// A name that a user watches.
    struct Key: Hashable, Sendable {
        var name: String
        var uid: UInt32
    }

    private struct Entry: Sendable {
        var resolution = Resolution.pending
        var lookup: Int64?
        var retryAt: UInt64?
        var retries = 0
        var watchers = 0
    }

    private var entries: [Key: Entry] = [:]
    private var lookups: [Int64: Key] = [:]
    private var lastNumber: Int64 = 0

    /// When `timerFired` wants to be called.
    var deadline: UInt64? { entries.values.compactMap(\.retryAt).min() }

    /// How it stands with a name.
    func resolution(of key: Key) -> Resolution { entries[key]?.resolution ?? .pending }

    /// Whether it is being looked up.
    func isLookingUp(_ key: Key) -> Bool { entries[key]?.lookup != nil }

    /// Whether something is to be found out of a name that has no address: nothing is known yet, or it is asked for again.
    func isAwaited(_ key: Key) -> Bool {
        guard let entry = entries[key] else { return false }
        return switch entry.resolution {
        case .pending: true
        case .noSuchName, .noAnswer: entry.lookup != nil
        case .addresses: false
        }
    }

    /// Somebody wants to know now: a name that is watched and has no address is looked up, unless it is already.
    mutating func lookUpAgain(_ key: Key) -> [ReachabilityEffect] {
        guard let entry = entries[key], entry.lookup == nil else { return [] }
        if case .addresses = entry.resolution { return [] }
        return lookUp(key)
    }

    /// Somebody watches a name, one more time.
    mutating func watch(_ key: Key) -> [ReachabilityEffect] {
        entries[key, default: Entry()].watchers += 1
        return entries[key]?.watchers == 1 ? lookUp(key) : []
    }

    /// Somebody watches a name no longer, one time.
    mutating func unwatch(_ key: Key) -> [ReachabilityEffect] {
        guard var entry = entries[key] else { return [] }
        entry.watchers -= 1
        guard entry.watchers <= 0 else {
            entries[key] = entry
            return []
        }
        entries[key] = nil
        guard let lookup = entry.lookup else { return [] }
        lookups[lookup] = nil
        return [.abandonLookup(number: lookup)]
    }

    /// Looks all names up again: they may have changed, and the pauses begin with the first.
    mutating func lookUpAll() -> [ReachabilityEffect] {
        Self.inTurn(entries.keys).flatMap { key in
            entries[key]?.retries = 0
            return lookUp(key)
        }
    }

    /// Looks up what is due for another attempt.
    mutating func timerFired(at now: UInt64) -> [ReachabilityEffect] {
        let due = entries.filter { $1.retryAt.map { $0 <= now } ?? false }.keys
        return Self.inTurn(due).flatMap { lookUp($0) }
    }

    /// A lookup has ended. Returns the name; nil where it is not wanted any longer.
    mutating func apply(_ answer: LookupAnswer, to number: Int64, at now: UInt64) -> Key? {
        guard let key = lookups.removeValue(forKey: number), var entry = entries[key] else { return nil }
        entry.lookup = nil
        entry.resolution = entry.resolution.after(answer)
        if answer == .noAnswer || answer == .postponed {
            entry.retryAt = now + Self.pause(after: entry.retries)
            entry.retries += 1
        } else {
            entry.retries = 0
            // It may be there soon: nothing announces that somebody has given a machine a name.
            if entry.resolution == .noSuchName { entry.retryAt = now + Self.longestPause }
        }
        entries[key] = entry
        return key
    }

    /// The most nanoseconds before another attempt, and those before a name is asked for again that there was not.
    static let longestPause: UInt64 = 60_000_000_000

    /// Nanoseconds before another attempt.
    ///
    /// | attempts without an answer | 1 | 2 | 3 | 4 | 5 | 6 | 7 and more |
    /// | --- | --- | --- | --- | --- | --- | --- | --- |
    /// | pause (s) | 1 | 2 | 4 | 8 | 16 | 32 | 60 |
    static func pause(after retries: Int) -> UInt64 {
        min(longestPause, 1_000_000_000 << UInt64(min(max(retries, 0), 6)))
    }

    /// The first name of each user, then the second: many names of one are not looked up before the only one of another.
    private static func inTurn(_ keys: some Sequence<Key>) -> [Key] {
        var rounds: [UInt32: Int] = [:]
        let sorted = keys.sorted { ($0.name, $0.uid) < ($1.name, $1.uid) }
        let numbered = sorted.map { key in
            rounds[key.uid, default: 0] += 1
            return (round: rounds[key.uid, default: 0], key: key)
        }
        return numbered.sorted { ($0.round, $0.key.name, $0.key.uid) < ($1.round, $1.key.name, $1.key.uid) }.map(\.key)
    }

    private mutating func lookUp(_ key: Key) -> [ReachabilityEffect] {
        guard var entry = entries[key] else { return [] }
        var effects: [ReachabilityEffect] = []
        if let earlier = entry.lookup {
            lookups[earlier] = nil
            effects.append(.abandonLookup(number: earlier))
        }
        lastNumber += 1
        lookups[lastNumber] = key
        entry.lookup = lastNumber
        entry.retryAt = nil
        entries[key] = entry
        return effects + [.lookUp(number: lastNumber, name: key.name, uid: key.uid)]
    }
}
