import Storage

/// The statements of frequent operations, compiled once.
final class RegionStatements {
    let writeMonitor: Statement
    let deleteMonitor: Statement
    let writeList: Statement
    let deleteList: Statement
    let writeNext: Statement
    let insertRegion: Statement
    let deleteRegion: Statement
    let insertBox: Statement
    let deleteBox: Statement
    let findName: Statement
    let writeName: Statement
    let deleteName: Statement
    let region: Statement
    let nearBoxes: Statement
    let writeState: Statement
    let place: Statement
    let insertEvent: Statement
    let deleteEvents: Statement
    let events: Statement

    /// The columns of a region, for `RegionTables.region`.
    static let columns = "r.number, r.list, r.identifier, r.state, r.since, r.epoch, r.payload"

    init(_ database: borrowing Database) throws(StorageError) {
        writeMonitor = try Statement(
            database, "INSERT OR REPLACE INTO monitors (\(MonitorRow.columns)) VALUES (?,?,?,?,?,?,?,?,?,?)",
            as: "write a monitor")
        deleteMonitor = try Statement(database, "DELETE FROM monitors WHERE id = ?", as: "remove a monitor")
        writeList = try Statement(
            database, "INSERT OR REPLACE INTO lists (\(ListRow.columns)) VALUES (?,?,?,?,?,?)", as: "write a list")
        deleteList = try Statement(database, "DELETE FROM lists WHERE id = ?", as: "remove a list")
        writeNext = try Statement(
            database, "INSERT OR REPLACE INTO meta VALUES ('next', ?)", as: "write the next number")
        insertRegion = try Statement(
            database,
            """
            INSERT INTO regions (number, list, identifier, state, since, epoch, payload) VALUES (?,?,?,?,?,?,?)
            """, as: "write a region")
        deleteRegion = try Statement(database, "DELETE FROM regions WHERE number = ?", as: "remove a region")
        insertBox = try Statement(database, "INSERT INTO boxes VALUES (?,?,?,?,?,?,?)", as: "write a box")
        deleteBox = try Statement(database, "DELETE FROM boxes WHERE number = ?", as: "remove a box")
        findName = try Statement(
            database, "SELECT number FROM names WHERE list = ? AND identifier = ?", as: "find a region")
        writeName = try Statement(database, "INSERT OR REPLACE INTO names VALUES (?,?,?)", as: "write a name")
        deleteName = try Statement(
            database, "DELETE FROM names WHERE list = ? AND identifier = ?", as: "remove a name")
        region = try Statement(
            database, "SELECT \(Self.columns) FROM regions AS r WHERE r.number = ?", as: "read a region")
        nearBoxes = try Statement(
            database,
            """
            SELECT number, lowX, highX, lowY, highY, lowZ, highZ FROM boxes
            WHERE highX >= ? AND lowX <= ? AND highY >= ? AND lowY <= ? AND highZ >= ? AND lowZ <= ?
            """, as: "find near regions")
        writeState = try Statement(
            database, "UPDATE regions SET state = ?, since = ?, epoch = ? WHERE number = ?", as: "write a state")
        place = try Statement(database, "SELECT list, identifier FROM regions WHERE number = ?", as: "find a region")
        insertEvent = try Statement(database, "INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?,?)", as: "write an event")
        deleteEvents = try Statement(
            database, "DELETE FROM events WHERE monitor = ? AND seq <= ?", as: "remove events")
        events = try Statement(
            database,
            """
            SELECT \(RegionSchema.eventColumns) FROM events
            WHERE monitor = ? AND seq > ? ORDER BY seq LIMIT ?
            """, as: "read events")
    }
}
