import Location

/// Which positions of a recording are settled, which wait and which are under way: what makes the cursor right.
///
/// A number is settled when the destination has acknowledged its position, when it is a dead letter, or when the recording
/// has no such position. The cursor is the largest number up to which all are settled. Numbers above it whose position was
/// looked at are `known`; a known number that is not `outstanding` is settled. So a position that was sent before its turn
/// is not sent again when its turn comes.
struct Outbox: Sendable {
    /// Which recording.
    let recording: RecordingID
    /// Everything up to it is settled.
    private(set) var cursor: Int64
    /// The largest number that the recording is known to have.
    private(set) var last: Int64
    private var known = SequenceSet()
    /// Known, neither settled nor under way; ascending. A slice, as nearly always the first ones go.
    private(set) var waiting: ArraySlice<RecordedPosition> = []
    /// Groups that are to be sent again as they are, the next one last.
    private var again: [[RecordedPosition]] = []
    /// Known and not settled; ascending. A slice for the same reason.
    private var outstanding: ArraySlice<Int64> = []
    /// Whether a read downwards has found nothing, so that there may be a wide gap.
    private var foundNothing = false

    init(recording: RecordingID, cursor: Int64, last: Int64) {
        self.recording = recording
        self.cursor = max(0, min(cursor, Self.largest))
        self.last = max(self.cursor, last)
    }

    /// Numbers above this one are nobody's: it leaves room to count on.
    private static let largest = Int64.max - 2

    /// How many positions are held at least where so many wait, whatever is sent at once: while the recording stores how
    /// far it is settled nothing is read.
    private static let leastHeld = 512
    /// How many are read at least at once.
    private static let leastRead = 128

    /// How many stretches may be known above the cursor before nothing more is sent before its turn.
    private static let mostStretches = 64

    /// Whether nothing waits and nothing is under way, as far as is known.
    var isDrained: Bool { outstanding.isEmpty && edge >= last }
    /// Whether there is something to send now.
    var hasSomethingToSend: Bool { !again.isEmpty || !waiting.isEmpty }
    /// The oldest position that is to be sent.
    var oldest: RecordedPosition? {
        [waiting.first, again.lazy.compactMap(\.first).min { $0.sequence < $1.sequence }].compactMap { $0 }
            .min { $0.sequence < $1.sequence }
    }
    /// The newest position that is to be sent and has not been tried.
    var newest: RecordedPosition? { waiting.last }
    /// Whether more waits than this, as far as a look ahead shows.
    func hasBacklog(beyond count: Int) -> Bool {
        let inTurn = inTurn
        return inTurn > count || inTurn == count && last > edge
    }
    /// Whether a position is to be sent that is not the next one's neighbour: there is something between that was never
    /// looked at.
    var hasOneApart: Bool { waiting.last.map { $0.sequence > edge } ?? false }
    /// Whether fewer than this are to be sent next, and a read would show more.
    func isShort(of count: Int) -> Bool { again.isEmpty && last > edge && inTurn < count }
    /// Whether everything that was recorded is known.
    var isFullyKnown: Bool { edge >= last }
    /// Whether the last position of the recording was never looked at, and may be.
    var mayTryLast: Bool {
        last > cursor && known.range(containing: last) == nil && known.ranges.count < Self.mostStretches
    }

    /// The largest number up to which everything is known.
    private var edge: Int64 { known.range(containing: cursor + 1)?.upperBound ?? cursor }

    /// How many positions wait before anything that was not looked at.
    private var inTurn: Int {
        let edge = edge
        return Self.place(in: waiting) { $0.sequence <= edge } - waiting.startIndex
    }

    // What is read.

    /// The next read in this order, for so many positions at once.
    func nextRead(_ order: UploadConfiguration.Queue.Order, batch: Int) -> ReadRequest? {
        let count = order == .oldest ? inTurn : waiting.count
        // A read may take longer than many requests: it begins well before all is sent. It is a small one, as nothing else
        // is done while it is looked at.
        let page = min(ReadRequest.mostPositions, max(Self.leastRead, batch))
        guard count + page <= max(Self.leastHeld, 4 * batch) else { return nil }
        guard order == .newest else { return ReadRequest(after: edge, limit: page, waits: edge >= last) }
        return readDownwards(limit: page) ?? ReadRequest(after: last, limit: page, waits: true)
    }

    /// The read that shows the last position of the recording.
    var readOfLast: ReadRequest { ReadRequest(after: last - 1, limit: 1, waits: false) }

    /// The read of what is newest among what was never looked at; nil where nothing is. Where the last such read has found
    /// nothing new there may be a wide gap, and what ends it below is looked for.
    func readDownwards(limit: Int) -> ReadRequest? {
        let top = known.range(containing: last).map { $0.lowerBound - 1 } ?? last
        guard top > edge else { return nil }
        let bottom = max(cursor, known.last(notAbove: top) ?? cursor)
        if foundNothing { return ReadRequest(after: bottom, limit: 1, waits: false) }
        return ReadRequest(after: max(bottom, top - Int64(limit)), limit: limit, waits: false)
    }

    /// Takes what was read; returns the last position that is new.
    @discardableResult
    mutating func append(_ page: RecordedPage, for request: ReadRequest) -> RecordedPosition? {
        var through = request.after
        var added: RecordedPosition?
        for row in page.positions.prefix(request.limit) {
            guard row.recording == recording, row.sequence > through, row.sequence <= Self.largest else { continue }
            through = row.sequence
            guard row.sequence > cursor, known.range(containing: row.sequence) == nil else { continue }
            insert(row)
            outstanding.insert(row.sequence, at: Self.place(of: row.sequence, in: outstanding))
            added = row
        }
        // Only a page without any says that there are no more: a position that could not be read makes one shorter.
        if page.positions.isEmpty { through = max(through, min(page.last, Self.largest)) }
        last = max(cursor, through, min(page.last, Self.largest))
        foundNothing = added == nil && request.limit > 1
        if through > request.after { known.insert((request.after + 1)...through) }
        advance()
        return added
    }

    // What is sent.

    /// Takes up to so many positions to send together.
    mutating func removeBatch(
        _ order: UploadConfiguration.Queue.Order, limit: Int
    ) -> [RecordedPosition]? {
        if let group = again.popLast() { return group }
        guard !waiting.isEmpty else { return nil }
        switch order {
        case .oldest:
            // Not those beyond what was not read yet: it is not their turn.
            let count = min(limit, inTurn)
            guard count > 0 else { return nil }
            defer { waiting.removeFirst(count) }
            return Array(waiting.prefix(count))
        case .newest:
            let count = min(limit, waiting.count)
            defer { waiting.removeLast(count) }
            return Array(waiting.suffix(count))
        }
    }

    /// What is taken next in the order of numbers, where that are so many; nil where it is fewer.
    func nextBatch(of count: Int) -> ArraySlice<RecordedPosition>? {
        again.isEmpty && inTurn >= count ? waiting.prefix(count) : nil
    }

    /// Takes the newest position that is to be sent.
    mutating func removeNewest() -> RecordedPosition? {
        if let row = waiting.popLast() { return row }
        guard var group = again.first, let row = group.popLast() else { return nil }
        if group.isEmpty { again.removeFirst() } else { again[0] = group }
        return row
    }

    /// Takes the position at a place among those that wait and are in no group.
    mutating func removeWaiting(at place: Int) -> RecordedPosition { waiting.remove(at: waiting.startIndex + place) }

    /// Positions that were under way are to be sent when their turn comes.
    mutating func putBack(_ rows: [RecordedPosition]) { rows.forEach { insert($0) } }

    /// Positions that were under way are to be sent next, together.
    mutating func sendAgain(_ rows: [RecordedPosition]) { again.append(rows) }

    /// Positions that were under way are to be sent next, in two halves.
    mutating func sendHalves(_ rows: [RecordedPosition]) {
        let middle = (rows.count + 1) / 2
        if middle < rows.count { again.append(Array(rows[middle...])) }
        again.append(Array(rows[..<middle]))
    }

    /// Forgets how positions were grouped.
    mutating func regroup() {
        let groups = again
        again = []
        for group in groups { putBack(group) }
    }

    /// These numbers are settled.
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

    /// Where a number is, or would be, among ascending ones.
    private static func place(of number: Int64, in numbers: ArraySlice<Int64>) -> Int {
        place(in: numbers) { $0 < number }
    }

    /// Where the first is that does not come before something.
    private static func place<Element>(in rows: ArraySlice<Element>, _ isBefore: (Element) -> Bool) -> Int {
        // Nearly always it is the first of all, or behind the last.
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
