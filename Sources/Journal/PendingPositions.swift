import Location

/// The positions that wait to be committed, in order, as the bytes that are stored. When there are too many the oldest
/// is dropped, and counted for its recording.
struct PendingPositions {
    /// One of them: where its bytes are, and its own time.
    struct Entry {
        var recording: RecordingID
        var bytes: Range<Int>
        var timeMicroseconds: Int64
    }

    /// Some of them, in order.
    struct Batch {
        fileprivate(set) var entries: [Entry] = []
        fileprivate(set) var bytes: [UInt8] = []

        /// Takes none any more, but keeps its memory for the next.
        mutating func removeAll() {
            entries.removeAll(keepingCapacity: true)
            bytes.removeAll(keepingCapacity: true)
        }
    }

    /// The most that wait; while a batch is being committed, as many again.
    let capacity: Int
    private var batch = Batch()
    /// How many at the front of the batch were dropped.
    private var first = 0
    private var dropped: [RecordingID: PendingEvents.Dropped] = [:]
    /// How many were dropped since the start.
    private(set) var droppedTotal: Int64 = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// How many wait.
    var count: Int { batch.entries.count - first }

    /// Takes one more.
    mutating func append(_ position: Position, of recording: RecordingID) {
        let start = batch.bytes.count
        // What has no time, or a number that is none, is not a position; the gate gives none.
        guard let time = UTCTime(secondsSinceEpoch: position.timestamp),
            PositionPayload.append(position, to: &batch.bytes)
        else { return drop(recording, timeMicroseconds: 0) }
        batch.entries.append(
            Entry(
                recording: recording, bytes: start..<batch.bytes.count, timeMicroseconds: time.microseconds))
        makeRoom()
    }

    /// Hands over all that wait, in exchange for a batch whose memory is used from now on.
    mutating func drain(into taken: inout Batch) {
        if first > 0 { compact() }
        taken.removeAll()
        swap(&batch, &taken)
    }

    /// The batch is not in the database but for so many at its beginning: the rest goes back in front.
    mutating func giveBack(_ taken: inout Batch, from start: Int) {
        if first > 0 { compact() }
        for entry in batch.entries {
            let offset = taken.bytes.count
            taken.bytes.append(contentsOf: batch.bytes[entry.bytes])
            taken.entries.append(entry.moved(to: offset))
        }
        swap(&batch, &taken)
        taken.removeAll()
        first = start
        makeRoom()
    }

    /// What was dropped of which recording since the last time.
    mutating func drainDropped() -> [RecordingID: PendingEvents.Dropped] {
        defer { dropped = [:] }
        return dropped
    }

    /// What was dropped is not told of yet.
    mutating func giveBack(_ lost: [RecordingID: PendingEvents.Dropped]) {
        dropped.merge(lost) { $0.adding($1) }
    }

    /// Drops all of it.
    mutating func end() {
        droppedTotal += Int64(count)
        batch = Batch()
        (first, dropped) = (0, [:])
    }

    private mutating func makeRoom() {
        while count > capacity {
            drop(batch.entries[first].recording, timeMicroseconds: batch.entries[first].timeMicroseconds)
            first += 1
        }
        // Now and then, so that a queue that is always full moves each only once.
        if first > capacity { compact() }
    }

    private mutating func drop(_ recording: RecordingID, timeMicroseconds time: Int64) {
        droppedTotal += 1
        let one = PendingEvents.Dropped(count: 1, fromMicroseconds: time, toMicroseconds: time)
        dropped[recording] = dropped[recording]?.adding(one) ?? one
    }

    private mutating func compact() {
        var rest = Batch()
        rest.entries.reserveCapacity(count)
        for entry in batch.entries[first...] {
            let offset = rest.bytes.count
            rest.bytes.append(contentsOf: batch.bytes[entry.bytes])
            rest.entries.append(entry.moved(to: offset))
        }
        batch = rest
        first = 0
    }
}

extension PendingPositions.Entry {
    fileprivate func moved(to offset: Int) -> Self {
        var entry = self
        entry.bytes = offset..<(offset + bytes.count)
        return entry
    }
}

extension PendingEvents.Dropped {
    fileprivate func adding(_ other: Self) -> Self {
        var sum = self
        sum.add(other)
        return sum
    }
}
