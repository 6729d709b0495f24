import Durations
import Location

extension RecordStore {
    /// Removes what has become too old: deletions of records and zones, and answers. Call this until it returns false; each
    /// call is short, whatever has accumulated.
    ///
    /// A token from before a deletion that is removed here expires in the same transaction.
    /// - Parameter limit: The most rows of each kind.
    /// - Returns: Whether there may be more.
    public func removeOld(at now: UTCTime, limit: Int = 1_000) throws(EngineFailure) -> Bool {
        let oldest = time(rules.deletionAge, before: now)
        let answers = try engine.write { (transaction) throws(EngineFailure) in
            try transaction.removeAnswers(before: time(rules.answerAge, before: now), limit: limit)
        }
        let (records, zones) = try engine.read { (transaction) throws(EngineFailure) in
            (
                try transaction.oldDeletions(before: oldest, limit: limit),
                try transaction.oldFeedRows(before: oldest, limit: limit)
            )
        }
        for (zone, names) in Dictionary(grouping: records, by: \.zone).sorted(by: { $0.key < $1.key }) {
            try removeDeleted(names.map(\.name), in: zone, before: oldest)
        }
        for (database, zones) in Dictionary(grouping: zones, by: \.database).sorted(by: { $0.key < $1.key }) {
            try removeDeleted(zones.map(\.zone), in: database, before: oldest)
        }
        let areMoreAssets = try removeOldAssets(before: time(rules.uploadAge, before: now), limit: limit)
        return answers == limit || records.count == limit || zones.count == limit || areMoreAssets
    }

    private func time(_ age: Duration, before now: UTCTime) -> UTCTime {
        UTCTime(microseconds: now.microseconds.before(age))
    }

    /// Ends uploads that nobody has continued, and removes the bytes of assets that nothing refers to any more. Returns whether
    /// there may be more.
    private func removeOldAssets(before oldest: UTCTime, limit: Int) throws(EngineFailure) -> Bool {
        let uploads = try engine.read { (transaction) throws(EngineFailure) in
            try transaction.oldUploads(before: oldest, limit: limit)
        }
        for (zone, uploads) in Dictionary(grouping: uploads, by: \.zone).sorted(by: { $0.key < $1.key }) {
            try engine.write { (transaction) throws(EngineFailure) in
                try transaction.lock(.zone(zone))
                // One may have been continued, or become that of a record, since it was found.
                let present = try transaction.assets(Set(uploads.map(\.row.asset.digest)), in: zone)
                for row in present where row.account != nil && row.time < oldest {
                    try transaction.discard(row, in: zone)
                }
            }
        }
        let most = min(limit, Self.mostRemovedAssets)
        let removed = try engine.write { (transaction) throws(EngineFailure) in
            try transaction.lock(.discardedAssets)
            return try transaction.removeDiscarded(limit: most)
        }
        return uploads.count == limit || removed == most
    }

    /// Removing the bytes of a large asset takes some milliseconds.
    private static var mostRemovedAssets: Int { 20 }

    private func removeDeleted(
        _ names: [RecordName], in zone: ZoneID, before oldest: UTCTime
    ) throws(EngineFailure) {
        try engine.write { (transaction) throws(EngineFailure) in
            try transaction.lock(.zone(zone))
            guard var row = try transaction.zone(zone) else { return }
            // A record may have been made again since it was found.
            func isOld(_ record: RecordRow) -> Bool {
                guard case .deleted(_, let time) = record.content else { return false }
                return time < oldest
            }
            var old = try transaction.records(names, in: zone).filter(isOld)
            // Those below them that were deleted in the same request are found by the deletions above them only, by whoever shares
            // a record above. Those that were deleted before are removed already, and those that were deleted later were shared
            // no longer.
            var known = Set(old.map(\.name))
            var level = old.map(\.name)
            while !level.isEmpty {
                let below = try transaction.children(of: level, in: zone).filter {
                    $0.isDeleted && !known.contains($0.name)
                }
                let found = try transaction.records(below.map(\.name), in: zone).filter(isOld)
                level = found.map(\.name)
                known.formUnion(level)
                old += found
            }
            guard let last = old.map(\.counter).max() else { return }
            try transaction.removeDeleted(old.map(\.name), in: zone)
            row.removedThrough = max(row.removedThrough, last)
            try transaction.put(row, of: zone)
        }
    }

    private func removeDeleted(
        _ zones: [ZoneID], in database: DatabaseID, before oldest: UTCTime
    ) throws(EngineFailure) {
        try engine.write { (transaction) throws(EngineFailure) in
            try transaction.lock(.database(database))
            guard var row = try transaction.database(database) else { return }
            for zone in zones {
                guard let feed = try transaction.feedRow(of: zone, in: database), !feed.isPresent,
                    let deletion = feed.deletion, deletion.time < oldest
                else { continue }
                try transaction.removeFeedRow(of: zone, in: database)
                row.removedThrough = max(row.removedThrough, deletion.position)
            }
            try transaction.put(row, of: database)
        }
    }
}
