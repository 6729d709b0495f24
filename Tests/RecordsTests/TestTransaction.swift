import Location
import Records

/// A transaction of `TestEngine`: each call can fail, and is checked before the engine below performs it.
struct TestTransaction: RecordTransaction {
    let engine: TestEngine
    var inner: any RecordTransaction
    private let mayWrite: Bool
    private var locks: [RecordLock] = []

    init(_ engine: TestEngine, _ inner: any RecordTransaction, mayWrite: Bool) {
        self.engine = engine
        self.inner = inner
        self.mayWrite = mayWrite
    }

    mutating func lock(_ lock: RecordLock) throws(EngineFailure) {
        try engine.call("lock")
        guard !locks.contains(lock) else { return }
        if let last = locks.last, !Self.isOrdered(last, lock) { engine.complain("\(lock) is locked after \(last)") }
        if !mayWrite { engine.complain("a reader locks") }
        locks.append(lock)
        try inner.lock(lock)
    }

    private static func isOrdered(_ first: RecordLock, _ second: RecordLock) -> Bool {
        switch (first, second) {
        case (.account, .account): false
        case (.account, _): true
        case (.answer, .answer): false
        case (.answer, _): true
        case (.zone(let first), .zone(let second)): first < second
        case (.zone, .team), (.zone, .schema), (.zone, .database), (.schema, .database): true
        case (.team, .schema), (.team, .database): true
        case (.schema(let first), .schema(let second)): first.name == second.name && first.environment == .development
        case (.database(let first), .database(let second)): first < second
        default: false
        }
    }

    func write(_ operation: String, under lock: RecordLock?) throws(EngineFailure) {
        try engine.call(operation)
        if !mayWrite { engine.complain("a reader: \(operation)") }
        if let lock, !locks.contains(lock) { engine.complain("\(operation) without \(lock)") }
    }

    mutating func database(_ database: DatabaseID) throws(EngineFailure) -> DatabaseRow? {
        try engine.call("read a database")
        return try inner.database(database)
    }

    mutating func put(_ row: DatabaseRow, of database: DatabaseID) throws(EngineFailure) {
        try write("store a database", under: .database(database))
        try inner.put(row, of: database)
    }

    mutating func zone(_ zone: ZoneID) throws(EngineFailure) -> ZoneRow? {
        try engine.call("read a zone")
        return try inner.zone(zone)
    }

    mutating func put(_ row: ZoneRow, of zone: ZoneID) throws(EngineFailure) {
        try write("store a zone", under: .zone(zone))
        try inner.put(row, of: zone)
    }

    mutating func removeZone(_ zone: ZoneID) throws(EngineFailure) {
        try write("remove a zone", under: .zone(zone))
        try inner.removeZone(zone)
    }

    mutating func feedRow(of zone: ZoneID, in database: DatabaseID) throws(EngineFailure) -> FeedRow? {
        try engine.call("read a row of a feed")
        return try inner.feedRow(of: zone, in: database)
    }

    mutating func feed(
        of database: DatabaseID, after position: UInt64, limit: Int
    ) throws(EngineFailure) -> [FeedRow] {
        try engine.call("read a feed")
        return try inner.feed(of: database, after: position, limit: limit)
    }

    mutating func put(_ row: FeedRow, in database: DatabaseID) throws(EngineFailure) {
        try write("list a zone", under: .database(database))
        try inner.put(row, in: database)
    }

    mutating func removeFeedRow(of zone: ZoneID, in database: DatabaseID) throws(EngineFailure) {
        try write("forget a zone", under: .database(database))
        try inner.removeFeedRow(of: zone, in: database)
    }

    mutating func participants(of zone: ZoneID) throws(EngineFailure) -> [Participant] {
        try engine.call("read participants")
        return try inner.participants(of: zone)
    }

    mutating func participants(_ account: AccountID, of zone: ZoneID) throws(EngineFailure) -> [Participant] {
        try engine.call("read the participants of an account")
        return try inner.participants(account, of: zone)
    }

    mutating func zones(
        sharedWith account: AccountID, in container: Container
    ) throws(EngineFailure) -> [(zone: ZoneID, participant: Participant)] {
        try engine.call("read shared zones")
        return try inner.zones(sharedWith: account, in: container)
    }

    mutating func put(_ participant: Participant, of zone: ZoneID) throws(EngineFailure) {
        try write("store a participant", under: .zone(zone))
        try inner.put(participant, of: zone)
    }

    mutating func removeParticipant(
        _ account: AccountID, root: RecordName?, of zone: ZoneID
    ) throws(EngineFailure) {
        try write("remove a participant", under: .zone(zone))
        try inner.removeParticipant(account, root: root, of: zone)
    }

    mutating func children(
        of parents: [RecordName], in zone: ZoneID
    ) throws(EngineFailure) -> [(name: RecordName, isDeleted: Bool)] {
        try engine.call("read children")
        return try inner.children(of: parents, in: zone)
    }

    mutating func parents(
        of names: [RecordName], in zone: ZoneID
    ) throws(EngineFailure) -> [RecordName: RecordName] {
        try engine.call("read parents")
        return try inner.parents(of: names, in: zone)
    }

    mutating func records(_ names: [RecordName], in zone: ZoneID) throws(EngineFailure) -> [RecordRow] {
        try engine.call("read records")
        return try inner.records(names, in: zone)
    }

    mutating func put(_ rows: [RecordRow], in zone: ZoneID) throws(EngineFailure) {
        // One row after the other, so that an engine also fails between them.
        for row in rows {
            try write("store a record", under: .zone(zone))
            try inner.put([row], in: zone)
        }
    }

    mutating func forEachChange(
        in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64, _ body: (RecordRow) -> Bool
    ) throws(EngineFailure) {
        try engine.call("read changes")
        try inner.forEachChange(in: zone, after: counter, deletedAfter: deletedAfter, body)
    }

    mutating func forEachWrittenChange(
        in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64, _ body: (WrittenRow) -> Bool
    ) throws(EngineFailure) {
        try engine.call("read changes")
        try inner.forEachWrittenChange(in: zone, after: counter, deletedAfter: deletedAfter, body)
    }

    mutating func removeDeleted(_ names: [RecordName], in zone: ZoneID) throws(EngineFailure) {
        for name in names {
            try write("remove a deletion", under: .zone(zone))
            try inner.removeDeleted([name], in: zone)
        }
    }

    mutating func answer(to key: AnswerRow.Key) throws(EngineFailure) -> AnswerRow? {
        try engine.call("read an answer")
        return try inner.answer(to: key)
    }

    mutating func put(_ row: AnswerRow, to key: AnswerRow.Key) throws(EngineFailure) {
        try write("store an answer", under: .answer(key))
        try inner.put(row, to: key)
    }

    mutating func oldDeletions(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, name: RecordName)] {
        try engine.call("read old deletions")
        return try inner.oldDeletions(before: time, limit: limit)
    }

    mutating func oldFeedRows(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, database: DatabaseID)] {
        try engine.call("read old rows of feeds")
        return try inner.oldFeedRows(before: time, limit: limit)
    }

    mutating func removeAnswers(before time: UTCTime, limit: Int) throws(EngineFailure) -> Int {
        try write("remove answers", under: nil)
        return try inner.removeAnswers(before: time, limit: limit)
    }
}
