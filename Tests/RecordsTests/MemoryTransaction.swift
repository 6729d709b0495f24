import Location
import Records

/// A transaction of the engine in memory.
struct MemoryTransaction: RecordTransaction {
    typealias Tables = MemoryEngine.Tables
    let engine: MemoryEngine

    init(_ engine: MemoryEngine) { self.engine = engine }

    func lock(_ lock: RecordLock) throws(EngineFailure) {}

    func database(_ database: DatabaseID) throws(EngineFailure) -> DatabaseRow? {
        engine.tables.databases[database]
    }

    func put(_ row: DatabaseRow, of database: DatabaseID) throws(EngineFailure) {
        engine.change(\.databases, database, row)
    }

    func zone(_ zone: ZoneID) throws(EngineFailure) -> ZoneRow? {
        engine.tables.zones[zone]
    }

    func put(_ row: ZoneRow, of zone: ZoneID) throws(EngineFailure) {
        engine.change(\.zones, zone, row)
    }

    func removeZone(_ zone: ZoneID) throws(EngineFailure) {
        engine.change(\.zones, zone, nil)
        engine.change(\.records, zone, nil)
        engine.change(\.participants, zone, nil)
        engine.change(\.entries, zone, nil)
        engine.change(\.assetUses, zone, nil)
        for (key, row) in engine.tables.assets where key.zone == zone { try discard(row, in: zone) }
    }

    func feedRow(of zone: ZoneID, in database: DatabaseID) throws(EngineFailure) -> FeedRow? {
        engine.tables.feed[Tables.Place(database: database, zone: zone)]
    }

    func feed(
        of database: DatabaseID, after position: UInt64, limit: Int
    ) throws(EngineFailure) -> [FeedRow] {
        let rows = engine.tables.feed.filter { $0.key.database == database && $0.value.position > position }
        return Array(rows.values.sorted { $0.position < $1.position }.prefix(limit))
    }

    func put(_ row: FeedRow, in database: DatabaseID) throws(EngineFailure) {
        engine.change(\.feed, Tables.Place(database: database, zone: row.zone), row)
    }

    func removeFeedRow(of zone: ZoneID, in database: DatabaseID) throws(EngineFailure) {
        engine.change(\.feed, Tables.Place(database: database, zone: zone), nil)
    }

    func participants(of zone: ZoneID) throws(EngineFailure) -> [Participant] {
        Array((engine.tables.participants[zone] ?? [:]).values)
    }

    func participants(_ account: AccountID, of zone: ZoneID) throws(EngineFailure) -> [Participant] {
        (engine.tables.participants[zone] ?? [:]).values.filter { $0.account == account }
    }

    func zones(
        sharedWith account: AccountID, in container: Container
    ) throws(EngineFailure) -> [(zone: ZoneID, participant: Participant)] {
        engine.tables.participants.filter { $0.key.container == container }.flatMap { zone, participants in
            participants.values.filter { $0.account == account }.map { (zone, $0) }
        }
    }

    func put(_ participant: Participant, of zone: ZoneID) throws(EngineFailure) {
        engine.change(\.participants[orEmpty: zone], Tables.ShareKey(participant), participant)
    }

    func removeParticipant(
        _ account: AccountID, root: RecordName?, of zone: ZoneID
    ) throws(EngineFailure) {
        engine.change(\.participants[orEmpty: zone], Tables.ShareKey(Participant(account, .read, of: root)), nil)
    }

    func children(
        of parents: [RecordName], in zone: ZoneID
    ) throws(EngineFailure) -> [(name: RecordName, isDeleted: Bool)] {
        (engine.tables.records[zone] ?? [:]).values.compactMap { row in
            guard let parent = row.parent, parents.contains(parent) else { return nil }
            return (row.name, row.record == nil)
        }
    }

    func parents(
        of names: [RecordName], in zone: ZoneID
    ) throws(EngineFailure) -> [RecordName: RecordName] {
        var found: [RecordName: RecordName] = [:]
        for name in names { found[name] = engine.tables.records[zone]?[name]?.record?.parent }
        return found
    }

    func records(_ names: [RecordName], in zone: ZoneID) throws(EngineFailure) -> [RecordRow] {
        guard let rows = engine.tables.records[zone] else { return [] }
        return Set(names).compactMap { rows[$0] }
    }

    func put(_ rows: [RecordRow], in zone: ZoneID) throws(EngineFailure) {
        for row in rows {
            engine.change(\.records[orEmpty: zone], row.name, row)
        }
    }

    func forEachChange(
        in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64, _ body: (RecordRow) -> Bool
    ) throws(EngineFailure) {
        let rows = (engine.tables.records[zone] ?? [:]).values.filter { row in
            row.counter > (row.record == nil ? max(counter, deletedAfter) : counter)
        }
        for row in rows.sorted(by: { $0.counter < $1.counter }) {
            guard body(row) else { return }
        }
    }

    func forEachWrittenChange(
        in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64, _ body: (WrittenRow) -> Bool
    ) throws(EngineFailure) {
        try forEachChange(in: zone, after: counter, deletedAfter: deletedAfter) { row in
            switch row.content {
            case .record(let record, _):
                body(WrittenRow(row.name, counter: row.counter, .record(WrittenRecord(record))))
            case .deleted(let type, _): body(WrittenRow(row.name, counter: row.counter, .deleted(type)))
            }
        }
    }

    func removeDeleted(_ names: [RecordName], in zone: ZoneID) throws(EngineFailure) {
        for name in names {
            engine.change(\.records[orEmpty: zone], name, nil)
        }
    }

    func answer(to key: AnswerRow.Key) throws(EngineFailure) -> AnswerRow? {
        engine.tables.answers[key]
    }

    func put(_ row: AnswerRow, to key: AnswerRow.Key) throws(EngineFailure) {
        engine.change(\.answers, key, row)
    }

    func oldDeletions(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, name: RecordName)] {
        var found: [(time: UTCTime, zone: ZoneID, name: RecordName)] = []
        for (zone, rows) in engine.tables.records {
            for row in rows.values {
                if case .deleted(_, let deleted) = row.content, deleted < time {
                    found.append((deleted, zone, row.name))
                }
            }
        }
        found.sort { ($0.time, $0.zone, $0.name) < ($1.time, $1.zone, $1.name) }
        return found.prefix(limit).map { ($0.zone, $0.name) }
    }

    func oldFeedRows(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, database: DatabaseID)] {
        let old = engine.tables.feed.filter { place, row in
            guard let deletion = row.deletion else { return false }
            return !row.isPresent && deletion.time < time
        }
        return old.keys.sorted { ($0.database, $0.zone) < ($1.database, $1.zone) }.prefix(limit)
            .map { ($0.zone, $0.database) }
    }

    func removeAnswers(before time: UTCTime, limit: Int) throws(EngineFailure) -> Int {
        let old = Array(engine.tables.answers.lazy.filter { $0.value.time < time }.map(\.key).prefix(limit))
        for key in old { engine.change(\.answers, key, nil) }
        return old.count
    }
}
