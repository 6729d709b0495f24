import Storage

/// A monitor's row.
struct MonitorRow: Equatable {
    let id: Int64
    let key: MonitorKey
    /// The list of its regions.
    var list: Int64
    var regions: Int64
    /// The number of its latest event.
    var last: Int64
    var acknowledged: Int64
    /// The number of the last event that was dropped unacknowledged, and its time in microseconds.
    var dropped: Int64
    var droppedAt: Int64

    /// A new monitor.
    init(id: Int64, key: MonitorKey, list: Int64) {
        (self.id, self.key, self.list) = (id, key, list)
        (regions, last, acknowledged, dropped, droppedAt) = (0, 0, 0, 0, 0)
    }

    static let columns = "id, uid, app, name, list, regions, last, acknowledged, dropped, droppedAt"

    /// Nil where the row is none that this program writes.
    init?(_ row: borrowing Row) {
        guard let uid = UInt32(exactly: row.integer(1)) else { return nil }
        let app = row.text(2)
        id = row.integer(0)
        key = MonitorKey(owner: RegionOwner(uid: uid, app: app.isEmpty ? nil : app), name: row.text(3))
        list = row.integer(4)
        (regions, last, acknowledged) = (row.integer(5), row.integer(6), row.integer(7))
        (dropped, droppedAt) = (row.integer(8), row.integer(9))
        guard id > 0, list > 0, regions >= 0, (0...last).contains(acknowledged), (0...last).contains(dropped) else {
            return nil
        }
    }

    /// The values of all columns.
    var values: [SQLValue] {
        [
            .integer(id), .integer(Int64(key.owner.uid)), .text(key.owner.app ?? ""), .text(key.name), .integer(list),
            .integer(regions), .integer(last), .integer(acknowledged), .integer(dropped), .integer(droppedAt),
        ]
    }

    /// Events up to this number are not stored any more; all later ones are.
    var floor: Int64 { max(acknowledged, dropped) }

    /// The monitor for callers.
    var stored: StoredMonitor {
        StoredMonitor(
            id: id, key: key, regions: Int(regions), last: last, acknowledged: acknowledged,
            pending: Int(last - floor) + (dropped > acknowledged ? 1 : 0))
    }
}

/// A list of regions: that of a monitor, one that is being staged, or one whose rows are to be erased.
///
/// Regions belong to lists and not to monitors, so that a million of them can be put in a monitor, or taken from it, by a
/// single change.
struct ListRow: Equatable {
    let id: Int64
    /// The numbers of its regions are from the first to the last; those between may belong to others.
    var first: Int64
    var last: Int64
    /// Increased when states are to be forgotten: a region of an earlier epoch is unknown because of it.
    var epoch: Int64 = 0
    /// Microseconds; when states were forgotten.
    var forgottenAt: Int64 = 0
    /// Whether regions of earlier epochs may be left.
    var isReset = false

    /// An empty list.
    init(id: Int64) { (self.id, first, last) = (id, .max, 0) }

    static let columns = "id, first, last, epoch, forgottenAt, isReset"

    init(_ row: borrowing Row) {
        (id, first, last, epoch) = (row.integer(0), row.integer(1), row.integer(2), row.integer(3))
        (forgottenAt, isReset) = (row.integer(4), row.integer(5) != 0)
    }

    /// The values of all columns.
    var values: [SQLValue] {
        [
            .integer(id), .integer(first), .integer(last), .integer(epoch), .integer(forgottenAt),
            .integer(isReset ? 1 : 0),
        ]
    }

    /// The numbers that its regions may have.
    var numbers: ClosedRange<Int64>? { first <= last ? first...last : nil }

    /// Extends it to regions of these numbers.
    mutating func include(_ range: ClosedRange<Int64>) {
        first = min(first, range.lowerBound)
        last = max(last, range.upperBound)
    }
}
