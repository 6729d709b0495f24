import Durations
import Storage

// Operators' events remain when the events around them are dropped, and have their own limits. Below the retention
// floor there are no other events.

extension EventStore {
    /// The number of events below the retention floor: all of them are operators'.
    func operatorEventsBelowFloor() throws(StorageError) -> Int64 {
        if let counted = countedBelowFloor { return counted }
        let count =
            try database.integer("SELECT count(*) FROM events WHERE seq < \(oldestRetained)", as: "count events") ?? 0
        countedBelowFloor = count
        return count
    }

    /// Drops the oldest of operators' events below the retention floor that exceed their own limits, within `commit`;
    /// nil if there are none.
    func dropExpiredOfOperators(
        _ retention: Retention, nowMicroseconds: Int64
    ) throws(StorageError) -> Expired? {
        let count = try operatorEventsBelowFloor()
        if count == 0 { return nil }
        let byAge = try excessByAge(retention.operatorMaximumAge, nowMicroseconds: nowMicroseconds)
        let bySize = try excessBySize(retention.operatorMaximumBytes, of: count)
        let excess = min(max(byAge, bySize), Self.largestPass)
        if excess <= 0 { return nil }

        let operation = "drop operators' expired events"
        let oldest = "SELECT seq, time FROM events WHERE seq < \(oldestRetained) ORDER BY seq LIMIT \(excess)"
        var expired: Expired?
        try Statement(
            database, "SELECT count(*), min(time), max(time), min(seq), max(seq) FROM (\(oldest))", as: operation
        )
        .first { row in
            expired = Expired(
                dropped: .init(
                    count: row.integer(0), fromMicroseconds: row.integer(1), toMicroseconds: row.integer(2)),
                reason: byAge >= bySize ? "operators' events by age" : "operators' events by size",
                firstSequence: row.integer(3), lastSequence: row.integer(4),
                isPartial: max(byAge, bySize) >= Self.largestPass)
        }
        guard let expired else { return nil }
        try database.execute("DELETE FROM events WHERE seq <= \(expired.lastSequence)", as: operation)
        countedBelowFloor = count - expired.dropped.count
        return expired
    }

    /// The number of the oldest events that exceed the age limit, up to the bound of one pass. As for all events, only
    /// from the front: an event that a wrong clock stamped in the future retains the events after it.
    private func excessByAge(_ maximum: Duration, nowMicroseconds: Int64) throws(StorageError) -> Int64 {
        let cut = nowMicroseconds.before(maximum)
        let oldest = "SELECT seq, time FROM events WHERE seq < \(oldestRetained) ORDER BY seq LIMIT \(Self.largestPass)"
        return try database.integer(
            """
            SELECT count(*) FROM (\(oldest)) WHERE seq < ifnull(
                (SELECT min(seq) FROM (\(oldest)) WHERE time >= \(cut)), \(oldestRetained))
            """, as: "find operators' expired events") ?? 0
    }

    private func excessBySize(_ maximumBytes: Int64, of count: Int64) throws(StorageError) -> Int64 {
        let size = try meanBytesOfEvents()
        if size * count <= maximumBytes { return 0 }
        return count - maximumBytes / 8 * 7 / max(1, size)
    }
}
