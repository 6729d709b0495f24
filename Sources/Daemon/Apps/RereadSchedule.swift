import Durations
import Platform

/// Schedules when changed homes are read again: soon after the last change, and with growing intervals while the
/// changes of a user continue. One user's changes do not delay another's.
///
/// For a user with endless changes:
///
/// | reread | 1 | 2 | 3 | 4 | … | 9 and later |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | interval (s) | 0.1 after the change | 0.25 | 0.5 | 1 | … | 30 |
struct RereadSchedule {
    private struct Entry {
        /// When it is due, in nanoseconds of CLOCK_MONOTONIC; nil if nothing has changed.
        var due: UInt64?
        var readAt: UInt64
        /// The minimum interval until the next read.
        var pause: UInt64
    }

    /// Changes within this interval are combined.
    static let quiet = Duration.milliseconds(100).nanoseconds
    static let firstPause = Duration.milliseconds(250).nanoseconds
    static let longestPause = Duration.seconds(30).nanoseconds

    private var entries: [UInt32: Entry] = [:]

    /// When the next home is due; nil if none is.
    var next: UInt64? { entries.values.compactMap(\.due).min() }

    /// Called when a user's manifests may have changed.
    mutating func changed(_ uid: UInt32, at now: UInt64) {
        var entry = entries[uid] ?? Entry(readAt: 0, pause: 0)
        guard entry.due == nil else { return }
        let earliest = entry.readAt.addingClamped(entry.pause)
        // The same interval again without a change ends the backoff.
        if now >= earliest.addingClamped(entry.pause) { entry.pause = 0 }
        entry.due = max(now.addingClamped(Self.quiet), entry.readAt.addingClamped(entry.pause))
        entries[uid] = entry
    }

    /// Removes and returns the users whose homes are to be read now.
    mutating func removeDue(at now: UInt64) -> [UInt32] {
        let users = entries.filter { $0.value.due.map { $0 <= now } ?? false }.keys.sorted()
        for uid in users {
            guard var entry = entries[uid] else { continue }
            entry.due = nil
            entry.readAt = now
            entry.pause = min(max(entry.pause * 2, Self.firstPause), Self.longestPause)
            entries[uid] = entry
        }
        return users
    }

    /// Removes a user.
    mutating func forget(_ uid: UInt32) { entries[uid] = nil }
}
