import Storage

/// What was dropped from a store because it had expired, in one transaction.
struct RetentionPass {
    /// The events that report it.
    let notices: [Event]
    /// Whether the pass over the positions ended at its bound, with more to drop.
    let hasPositionsLeft: Bool
    /// Whether a pass ended at its bound, with more events or positions to drop.
    let isPartial: Bool

    /// Drops the events and positions that exceed these limits, within `commit`.
    init(
        over store: EventStore, _ retention: Retention, _ recordingRetention: RecordingRetention, nowMicroseconds: Int64
    ) throws(StorageError) {
        let passes = [
            try store.dropExpired(retention, nowMicroseconds: nowMicroseconds),
            try store.dropExpiredOfOperators(retention, nowMicroseconds: nowMicroseconds),
        ].compactMap(\.self)
        if !passes.isEmpty { try store.dropIdleNumberings() }
        let positions = try store.recordings.expire(
            recordingRetention, excess: store.usage().excess(over: recordingRetention.maximumBytes),
            nowMicroseconds: nowMicroseconds)
        // A pass that met only operators' events has nothing to report.
        notices = passes.filter { $0.dropped.count > 0 }.map(\.event) + positions.events
        hasPositionsLeft = positions.isPartial
        isPartial = positions.isPartial || passes.contains(where: \.isPartial)
    }
}
