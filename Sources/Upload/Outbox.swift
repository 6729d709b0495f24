import Location

/// The upload status of each position of a recording: settled, waiting or in flight. The cursor of the recording is
/// derived from it.
///
/// A sequence number is settled when the destination has acknowledged its position, when the position is a dead letter,
/// or when the recording has no position with this number. The cursor is the largest number up to which all numbers are
/// settled. Numbers above the cursor whose positions were read are `known`; a known number that is not `outstanding` is
/// settled. A position that was sent ahead of the order is therefore not sent a second time when the order reaches it.
struct Outbox: Sendable {
    /// The recording.
    let recording: RecordingID
    /// All numbers up to this one are settled.
    private(set) var cursor: Int64
    /// The largest number that the recording is known to have.
    private(set) var last: Int64
    private var known = SequenceSet()
    /// The known positions that are neither settled nor in flight, ascending. A slice, because nearly always the first
    /// elements are removed.
    private(set) var waiting: ArraySlice<RecordedPosition> = []
    /// Groups that are to be sent again unchanged; the next one is last.
    private var again: [[RecordedPosition]] = []
    /// The known numbers that are not settled, ascending. A slice for the same reason.
    private var outstanding: ArraySlice<Int64> = []
    /// Whether a read downwards has found no new position, which suggests a wide gap between the numbers.
    private var foundNothing = false

    init(recording: RecordingID, cursor: Int64, last: Int64) {
        self.recording = recording
        self.cursor = max(0, min(cursor, Self.largest))
        self.last = max(self.cursor, last)
    }

    /// The largest valid number. The margin prevents an overflow in `+ 1`.
    private static let largest = Int64.max - 2

    /// The least number of positions held in memory if that many are pending, whatever the batch size is. Nothing is
    /// read while the recording stores an acknowledgement, and this reserve covers that time.
    private static let leastHeld = 512
    /// The least number of positions in one read.
    private static let leastRead = 128

    /// The most separate ranges of known numbers above the cursor. With more of them nothing else is sent ahead of the
    /// order.
    private static let mostStretches = 64

    /// Whether no position is waiting or in flight, as far as is known.
    var isDrained: Bool { outstanding.isEmpty && edge >= last }
    /// Whether a position is ready to be sent.
    var hasSomethingToSend: Bool { !again.isEmpty || !waiting.isEmpty }
    /// The oldest position that is ready to be sent.
    var oldest: RecordedPosition? {
        [waiting.first, again.lazy.compactMap(\.first).min { $0.sequence < $1.sequence }].compactMap { $0 }
            .min { $0.sequence < $1.sequence }
    }
    /// The newest position that is ready to be sent and was not tried before.
    var newest: RecordedPosition? { waiting.last }
    /// Whether more than `count` positions wait, as far as the positions read ahead show.
    func hasBacklog(beyond count: Int) -> Bool {
        let newCount = newCount
        return newCount > count || newCount == count && last > edge
    }
    /// Whether a waiting position lies beyond numbers that were not read yet.
    var hasOneApart: Bool { waiting.last.map { $0.sequence > edge } ?? false }
    /// Whether fewer than `count` positions are next in order, and a read would add some.
    func isShort(of count: Int) -> Bool { again.isEmpty && last > edge && newCount < count }
    /// Whether all recorded positions are known.
    var isFullyKnown: Bool { edge >= last }
    /// Whether the last position of the recording was not read yet, and may be read.
    var mayTryLast: Bool {
        last > cursor && known.range(containing: last) == nil && known.ranges.count < Self.mostStretches
    }

    /// The largest number up to which all numbers are known.
    var edge: Int64 { known.range(containing: cursor + 1)?.upperBound ?? cursor }

    /// The number of waiting positions below the first number that was not read.
    private var newCount: Int {
        let edge = edge
        return Self.place(in: waiting) { $0.sequence <= edge } - waiting.startIndex
    }

    // Reading.

    /// The next read in this order, for batches of this size.
    func nextRead(_ order: UploadConfiguration.Queue.Order, batch: Int) -> ReadRequest? {
        let count = order == .oldest ? newCount : waiting.count
        // A read may last longer than many requests, so it starts well before all positions are sent. The page is
        // small, because processing it blocks everything else.
        let page = min(ReadRequest.mostPositions, max(Self.leastRead, batch))
        guard count + page <= max(Self.leastHeld, 4 * batch) else { return nil }
        guard order == .newest else { return ReadRequest(after: edge, limit: page, waits: edge >= last) }
        return readDownwards(limit: page) ?? ReadRequest(after: last, limit: page, waits: true)
    }

    /// The read of the last position of the recording.
    var readOfLast: ReadRequest { ReadRequest(after: last - 1, limit: 1, waits: false) }

    /// The read of the newest positions that were not read yet; nil if there are none. If the last such read found
    /// nothing new, the gap may be wide, and this read searches for its lower end.
    func readDownwards(limit: Int) -> ReadRequest? {
        let top = known.range(containing: last).map { $0.lowerBound - 1 } ?? last
        guard top > edge else { return nil }
        let bottom = max(cursor, known.last(notAbove: top) ?? cursor)
        if foundNothing { return ReadRequest(after: bottom, limit: 1, waits: false) }
        return ReadRequest(after: max(bottom, top - Int64(limit)), limit: limit, waits: false)
    }

    /// Adds the positions of a page; returns the last one that is new and was admitted. One that is not admitted is
    /// settled: it is never sent.
    @discardableResult
    mutating func append(
        _ page: RecordedPage, for request: ReadRequest, admitting isAdmitted: (RecordedPosition) -> Bool = { _ in true }
    ) -> RecordedPosition? {
        var through = request.after
        var added: RecordedPosition?
        var hasNew = false
        for row in page.positions.prefix(request.limit) {
            guard row.recording == recording, row.sequence > through, row.sequence <= Self.largest else { continue }
            through = row.sequence
            guard row.sequence > cursor, known.range(containing: row.sequence) == nil else { continue }
            hasNew = true
            guard isAdmitted(row) else { continue }
            insert(row)
            outstanding.insert(row.sequence, at: Self.place(of: row.sequence, in: outstanding))
            added = row
        }
        // Only an empty page shows that there are no more positions: a page is also shorter if a position could not be
        // read.
        if page.positions.isEmpty { through = max(through, min(page.last, Self.largest)) }
        last = max(cursor, through, min(page.last, Self.largest))
        foundNothing = !hasNew && request.limit > 1
        if through > request.after { known.insert((request.after + 1)...through) }
        advance()
        return added
    }

    // Sending.

    /// Removes and returns up to `limit` positions to send together.
    mutating func removeBatch(
        _ order: UploadConfiguration.Queue.Order, limit: Int
    ) -> [RecordedPosition]? {
        if let group = again.popLast() { return group }
        guard !waiting.isEmpty else { return nil }
        switch order {
        case .oldest:
            // Positions beyond numbers that were not read yet are not next in order.
            let count = min(limit, newCount)
            guard count > 0 else { return nil }
            defer { waiting.removeFirst(count) }
            return Array(waiting.prefix(count))
        case .newest:
            let count = min(limit, waiting.count)
            defer { waiting.removeLast(count) }
            return Array(waiting.suffix(count))
        }
    }

    /// The next `count` positions in ascending order; nil if there are fewer.
    func nextBatch(of count: Int) -> ArraySlice<RecordedPosition>? {
        again.isEmpty && newCount >= count ? waiting.prefix(count) : nil
    }

    /// Removes and returns the newest position that is ready to be sent.
    mutating func removeNewest() -> RecordedPosition? {
        if let row = waiting.popLast() { return row }
        guard var group = again.first, let row = group.popLast() else { return nil }
        if group.isEmpty { again.removeFirst() } else { again[0] = group }
        return row
    }

    /// Removes and returns the waiting position at an index; groups are not counted.
    mutating func removeWaiting(at place: Int) -> RecordedPosition { waiting.remove(at: waiting.startIndex + place) }

    /// Returns positions that were in flight to their places in the order.
    mutating func putBack(_ rows: [RecordedPosition]) { rows.forEach { insert($0) } }

    /// Puts positions that were in flight first, as one group.
    mutating func sendAgain(_ rows: [RecordedPosition]) { again.append(rows) }

    /// Puts positions that were in flight first, as two groups of half the size.
    mutating func sendHalves(_ rows: [RecordedPosition]) {
        let middle = (rows.count + 1) / 2
        if middle < rows.count { again.append(Array(rows[middle...])) }
        again.append(Array(rows[..<middle]))
    }

    /// Dissolves all groups.
    mutating func regroup() {
        let groups = again
        again = []
        for group in groups { putBack(group) }
    }

    /// Marks these numbers as settled.
    mutating func settle(_ numbers: some Sequence<Int64>) {
        for number in numbers {
            let place = Self.place(of: number, in: outstanding)
            guard outstanding.indices.contains(place), outstanding[place] == number else { continue }
            if place == outstanding.startIndex { outstanding.removeFirst() } else { outstanding.remove(at: place) }
        }
        advance()
    }

    private mutating func advance() {
        let edge = edge
        cursor = outstanding.first.map { min($0 - 1, edge) } ?? edge
        known.removeAll(through: cursor)
    }

    private mutating func insert(_ row: RecordedPosition) {
        if let newest = waiting.last, newest.sequence > row.sequence {
            waiting.insert(row, at: Self.place(in: waiting) { $0.sequence <= row.sequence })
        } else {
            waiting.append(row)
        }
    }

    /// The index of a number, or of its insertion point, in ascending numbers.
    private static func place(of number: Int64, in numbers: ArraySlice<Int64>) -> Int {
        place(in: numbers) { $0 < number }
    }

    /// The index of the first element for which `isBefore` is false.
    private static func place<Element>(in rows: ArraySlice<Element>, _ isBefore: (Element) -> Bool) -> Int {
        // Nearly always the result is the first index or the end index.
        guard let first = rows.first, let last = rows.last, isBefore(first) else { return rows.startIndex }
        if isBefore(last) { return rows.endIndex }
        var (low, high) = (rows.startIndex, rows.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(rows[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
