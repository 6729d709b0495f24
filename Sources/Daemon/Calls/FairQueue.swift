import Varlink

extension Call {
    /// What it costs in a queue: one, and the KiB of memory that it needs.
    var waitingCost: Int { 1 + retainedBytes >> 10 }
}

/// A queue of elements for clients, in the order of arrival, with a bound that is divided fairly between shares of the clients. Pure.
///
/// Each element has a cost. Where a new one has no room, the newest element of the share with the largest cost makes room for it,
/// unless the share of the new one would then be as large: then the new one is refused. So what one share adds takes nothing from
/// a share that has less, and a share alone may use the whole queue.
///
///     of 4    A adds 5              B adds 3                               C adds 1
///     A       4, and 1 is refused   2, as 2 make room                      2
///     B                             2, and 1 is refused                    1, as 1 makes room
///     C                                                                    1
struct FairQueue<Share: Hashable, Element> {
    private struct Entry {
        let number: UInt64
        let cost: Int
        let element: Element
    }

    private struct Line {
        var entries: [Entry] = []
        var cost = 0
    }

    /// The most cost of all elements.
    let capacity: Int
    private var lines: [Share: Line] = [:]
    private var cost = 0
    private var latest: UInt64 = 0

    init(capacity: Int) { self.capacity = capacity }

    /// Whether there is no element.
    var isEmpty: Bool { lines.isEmpty }

    /// Adds an element. Returns the elements for which there is no room: earlier ones of the share that has most, or the new one.
    mutating func add(_ element: Element, of share: Share, cost: Int = 1) -> [Element] {
        guard cost <= capacity else { return [element] }
        var displaced: [Element] = []
        while self.cost + cost > capacity {
            let new = (lines[share]?.cost ?? 0) + cost
            guard let largest = largestShare, let line = lines[largest], line.cost > new,
                let last = line.entries.last
            else { return displaced + [element] }
            remove(last, of: largest)
            displaced.append(last.element)
        }
        latest += 1
        lines[share, default: Line()].entries.append(Entry(number: latest, cost: cost, element: element))
        lines[share]?.cost += cost
        self.cost += cost
        return displaced
    }

    /// Of equal shares the one that has added something last.
    private var largestShare: Share? {
        lines.max {
            ($0.value.cost, $0.value.entries.last?.number ?? 0) < ($1.value.cost, $1.value.entries.last?.number ?? 0)
        }?.key
    }

    private mutating func remove(_ last: Entry, of share: Share) {
        lines[share]?.entries.removeLast()
        lines[share]?.cost -= last.cost
        cost -= last.cost
        if lines[share]?.entries.isEmpty == true { lines[share] = nil }
    }

    /// Removes the elements for which a condition holds, and returns them in the order of their arrival.
    mutating func removeAll(where isRemoved: (Element) -> Bool = { _ in true }) -> [Element] {
        var removed: [Entry] = []
        for share in Array(lines.keys) {
            guard var line = lines[share] else { continue }
            var rest: [Entry] = []
            for entry in line.entries {
                if isRemoved(entry.element) { removed.append(entry) } else { rest.append(entry) }
            }
            line.entries = rest
            line.cost = rest.reduce(0) { $0 + $1.cost }
            lines[share] = rest.isEmpty ? nil : line
        }
        cost -= removed.reduce(0) { $0 + $1.cost }
        return removed.sorted { $0.number < $1.number }.map(\.element)
    }
}
