import Durations
import Platform

/// When the homes are read again whose manifests may have changed: soon after calm, and less and less often the longer the
/// changes of one user go on. What one user does delays no other's.
///
/// A user who changes something without end:
///
/// | reread | 1 | 2 | 3 | 4 | … | 9 and later |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | after the one before (s) | 0.1 after the change | 0.25 | 0.5 | 1 | … | 30 |
struct RereadSchedule {
    private struct Entry {
        /// When it is due, in nanoseconds of CLOCK_MONOTONIC; nil while nothing has changed.
        var due: UInt64?
        var readAt: UInt64
        /// The shortest time from that until it is read again.
        var pause: UInt64
    }

    /// Changes that follow each other so soon are one.
    static let quiet = Duration.milliseconds(100).nanoseconds
    static let firstPause = Duration.milliseconds(250).nanoseconds
    static let longestPause = Duration.seconds(30).nanoseconds

    private var entries: [UInt32: Entry] = [:]

    /// When the next home is due; nil where none is.
    var next: UInt64? { entries.values.compactMap(\.due).min() }

    /// A user's manifests may have changed.
    mutating func changed(_ uid: UInt32, at now: UInt64) {
        var entry = entries[uid] ?? Entry(readAt: 0, pause: 0)
        guard entry.due == nil else { return }
        let earliest = entry.readAt.addingClamped(entry.pause)
        // As long again without a change is calm.
        if now >= earliest.addingClamped(entry.pause) { entry.pause = 0 }
        entry.due = max(now.addingClamped(Self.quiet), entry.readAt.addingClamped(entry.pause))
        entries[uid] = entry
    }

    /// The users whose homes are to be read now.
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

    /// Forgets a user.
    mutating func forget(_ uid: UInt32) { entries[uid] = nil }
}
