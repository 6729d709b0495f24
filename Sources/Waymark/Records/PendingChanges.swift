/// Changes in the order in which they were added, at most one of each record or zone. Adding and removing one costs the same
/// however many there are.
struct PendingChanges<ID: Hashable & Sendable, Change: Hashable & Sendable>: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        let number: UInt64
        let change: Change
    }

    private var entries: [ID: Entry] = [:]
    /// The order, also of changes that were replaced or removed since.
    private var order: [(number: UInt64, id: ID)] = []
    private var last: UInt64 = 0

    /// All changes in their order.
    var changes: [Change] { order.compactMap { entry($0)?.change } }

    var isEmpty: Bool { entries.isEmpty }

    private func entry(_ place: (number: UInt64, id: ID)) -> Entry? {
        entries[place.id].flatMap { $0.number == place.number ? $0 : nil }
    }

    mutating func add(_ change: Change, for id: ID) {
        last += 1
        entries[id] = Entry(number: last, change: change)
        order.append((last, id))
        if order.count > 2 * entries.count + 64 { order = order.filter { entry($0) != nil } }
    }

    /// Removes a change; not another one of the same record or zone.
    mutating func remove(_ change: Change, for id: ID) {
        if entries[id]?.change == change { entries[id] = nil }
    }

    /// A number that is greater with each change that is added.
    var latest: UInt64 { last }

    /// Removes the change of a record or zone, unless it was added after this number.
    mutating func remove(_ id: ID, addedUpTo number: UInt64) {
        if let entry = entries[id], entry.number <= number { entries[id] = nil }
    }

    static func == (left: Self, right: Self) -> Bool { left.changes == right.changes }
}
