import Authorization
import Location
import Storage

/// A recording in the form that the storage thread uses: its row of table `recordings`.
struct RecordingRow: Equatable {
    /// The key of the row, which positions refer to.
    let row: Int64
    /// The public part.
    var stored: StoredRecording
    /// No position with a number up to this one is stored.
    var floor: Int64 = 0
    /// The number of stored positions, including acknowledged ones.
    var retained: Int64 = 0
    /// Positions with numbers up to this one may be stored without being sealed.
    var unsealed: Int64 = 0
    /// The last mark: a time and the last number at that time.
    var mark: RecordingMark?

    /// The number up to which no position is pending.
    var settled: Int64 { max(stored.acknowledged, floor) }

    /// The columns in the order of `init(_:)`.
    static let columns = "\(earliestColumns), sent, filtered, unsealed"

    private static let earliestColumns = """
        id, uuid, app, uid, identifier, desiredAccuracy, distanceFilter, interval, onRevoke, isStarted, startedAt,
        last, cursor, floor, kept, waiting, deadLetters, dropped, bytes
        """

    /// The same columns of a database with this schema: earlier ones have no counts of uploads, and sealed nothing.
    static func columns(ofSchema version: Int64) -> String {
        if version < Migrations.firstWithUploadCounts { return "\(earliestColumns), 0, 0, last" }
        return version < Migrations.firstWithSegments ? "\(earliestColumns), sent, filtered, last" : columns
    }

    /// The place of its positions, or of its dead letters.
    func place(isDeadLetter: Bool = false) -> RowPlace {
        RowPlace(recording: row, id: stored.id, user: stored.key.app.uid, isDeadLetter: isDeadLetter)
    }
}

extension RecordingRow {
    init(row: Int64, stored: StoredRecording) {
        self.row = row
        self.stored = stored
    }

    /// Reads `columns`; nil if they contain anything that this release never writes.
    init?(_ columns: borrowing Row) {
        guard let id = RecordingID(columns.text(1)), let uid = UInt32(exactly: columns.integer(3)),
            let onRevoke = RecordingOptions.OnRevoke(rawValue: columns.text(8)),
            (0...1).contains(columns.integer(9))
        else { return nil }
        row = columns.integer(0)
        stored = StoredRecording(
            key: RecordingKey(app: AppID(uid: uid, name: columns.text(2)), identifier: columns.text(4)), id: id,
            options: RecordingOptions(
                desiredAccuracy: columns.optionalReal(5), distanceFilter: columns.optionalReal(6),
                interval: columns.optionalReal(7), onRevoke: onRevoke),
            isStarted: columns.integer(9) == 1, startedAt: UTCTime(microseconds: columns.integer(10)))
        stored.last = columns.integer(11)
        stored.acknowledged = columns.integer(12)
        floor = columns.integer(13)
        retained = columns.integer(14)
        stored.waiting = columns.integer(15)
        stored.deadLetters = columns.integer(16)
        stored.dropped = columns.integer(17)
        stored.bytes = columns.integer(18)
        stored.sent = columns.integer(19)
        stored.filtered = columns.integer(20)
        unsealed = columns.integer(21)
        let counts = [
            floor, retained, stored.acknowledged, stored.waiting, stored.deadLetters, stored.dropped, stored.bytes,
            stored.sent, stored.filtered, unsealed,
        ]
        guard row > 0, counts.allSatisfy({ $0 >= 0 }), stored.acknowledged <= stored.last, floor <= stored.last,
            retained <= stored.last, stored.waiting <= retained, unsealed <= stored.last
        else { return nil }
    }

    /// The values written for a new recording.
    var identity: [SQLValue] {
        [
            .text(stored.id.description), .text(stored.key.app.name), .integer(Int64(stored.key.app.uid)),
            .text(stored.key.identifier),
        ]
    }

    /// The values written after a start or a stop.
    var settings: [SQLValue] {
        [
            SQLValue(stored.options.desiredAccuracy), SQLValue(stored.options.distanceFilter),
            SQLValue(stored.options.interval), .text(stored.options.onRevoke.rawValue),
            .integer(stored.isStarted ? 1 : 0), .integer(stored.startedAt.microseconds),
        ]
    }

    /// The values written with every change.
    var counts: [SQLValue] {
        [
            .integer(stored.last), .integer(stored.acknowledged), .integer(floor), .integer(retained),
            .integer(stored.waiting), .integer(stored.deadLetters), .integer(stored.dropped), .integer(stored.bytes),
            .integer(stored.sent), .integer(stored.filtered), .integer(unsealed),
        ]
    }
}

/// A time and the last number of a recording at that time, from which the age of positions is derived.
struct RecordingMark: Equatable {
    /// The least interval between two marks of a recording, in microseconds.
    static let interval: UInt64 = 300 * 1_000_000
    /// An earlier time is that of a clock that was never set: 2025-01-01T00:00:00Z.
    static let firstPlausible: Int64 = 1_735_689_600_000_000

    /// The last number that was assigned before the time.
    var number: Int64
    /// The time in microseconds since 1970-01-01T00:00:00Z.
    var timeMicroseconds: Int64
}
