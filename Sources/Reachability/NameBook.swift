/// The watched names, their resolutions, and the running lookups.
///
/// Users share no entries: otherwise a user could learn from response times which names others watch.
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

    /// When `timerFired` has to be called.
    var deadline: UInt64? { entries.values.compactMap(\.retryAt).min() }

    /// The resolution of a name.
    func resolution(of key: Key) -> Resolution { entries[key]?.resolution ?? .pending }

    /// Whether a lookup of the name is running.
    func isLookingUp(_ key: Key) -> Bool { entries[key]?.lookup != nil }

    /// Whether a lookup will give more information about a name without an address: nothing is known yet, or a new
    /// lookup is running.
    func isAwaited(_ key: Key) -> Bool {
        guard let entry = entries[key] else { return false }
        return switch entry.resolution {
        case .pending: true
        case .noSuchName, .noAnswer: entry.lookup != nil
        case .addresses: false
        }
    }

    /// Looks up a watched name at once if it has no address, unless a lookup is already running.
    mutating func lookUpAgain(_ key: Key) -> [ReachabilityEffect] {
        guard let entry = entries[key], entry.lookup == nil else { return [] }
        if case .addresses = entry.resolution { return [] }
        return lookUp(key)
    }

    /// Adds a watcher of a name.
    mutating func watch(_ key: Key) -> [ReachabilityEffect] {
        entries[key, default: Entry()].watchers += 1
        return entries[key]?.watchers == 1 ? lookUp(key) : []
    }

    /// Removes a watcher of a name.
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

    /// Looks all names up again, because their addresses may have changed. The pauses start again with the shortest.
    mutating func lookUpAll() -> [ReachabilityEffect] {
        Self.sorted(entries.keys).flatMap { key in
            entries[key]?.retries = 0
            return lookUp(key)
        }
    }

    /// Starts the lookups that are due.
    mutating func timerFired(at now: UInt64) -> [ReachabilityEffect] {
        let due = entries.filter { $1.retryAt.map { $0 <= now } ?? false }.keys
        return Self.sorted(due).flatMap { lookUp($0) }
    }

    /// Records the result of a lookup. Returns the name; nil if the lookup is no longer needed.
    mutating func apply(_ answer: LookupAnswer, to number: Int64, at now: UInt64) -> Key? {
        guard let key = lookups.removeValue(forKey: number), var entry = entries[key] else { return nil }
        entry.lookup = nil
        entry.resolution = entry.resolution.after(answer)
        if answer == .noAnswer || answer == .postponed {
            entry.retryAt = now + Self.pause(after: entry.retries)
            entry.retries += 1
        } else {
            entry.retries = 0
            // The name may exist soon: nothing announces that a machine was given a name.
            if entry.resolution == .noSuchName { entry.retryAt = now + Self.longestPause }
        }
        entries[key] = entry
        return key
    }

    /// The longest pause before another attempt, and the pause before a name that did not exist is looked up again, in
    /// nanoseconds.
    static let longestPause: UInt64 = 60_000_000_000

    /// Nanoseconds before another attempt.
    ///
    /// | attempts without a reply | 1 | 2 | 3 | 4 | 5 | 6 | 7 and more |
    /// | --- | --- | --- | --- | --- | --- | --- | --- |
    /// | pause (s) | 1 | 2 | 4 | 8 | 16 | 32 | 60 |
    static func pause(after retries: Int) -> UInt64 {
        min(longestPause, 1_000_000_000 << UInt64(min(max(retries, 0), 6)))
    }

    /// The first name of each user, then the second of each, so that many names of one user do not delay the only name
    /// of another.
    private static func sorted(_ keys: some Sequence<Key>) -> [Key] {
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
