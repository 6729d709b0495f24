import Location
import Platform
import Protection

/// The positions that are not committed yet, in order, as the bytes that are stored. When there are too many, the
/// oldest is dropped and counted for its recording.
struct PendingPositions {
    /// A position: the place of its bytes, and its own time.
    struct Entry {
        var recording: RecordingID
        var bytes: Range<Int>
        var timeMicroseconds: Int64
        /// The class with which it is to be sealed.
        var protection: ProtectionClass
    }

    /// A sequence of positions.
    struct Batch {
        fileprivate(set) var entries: [Entry] = []
        fileprivate(set) var bytes: [UInt8] = []

        /// Removes all positions and retains the memory for the next ones. What is sealed on the disk from now on must not stay
        /// readable in memory, so the bytes are overwritten.
        mutating func removeAll() {
            entries.removeAll(keepingCapacity: true)
            bytes.eraseAll()
        }
    }

    /// The most positions in the queue; while a batch is being committed, as many again.
    let capacity: Int
    private var batch = Batch()
    /// The number of positions dropped at the front of the batch.
    private var first = 0
    private var dropped: [RecordingID: PendingEvents.Dropped] = [:]
    /// The number of positions dropped since the start.
    private(set) var droppedTotal: Int64 = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// The number of pending positions.
    var count: Int { batch.entries.count - first }

    /// Appends a position.
    mutating func append(
        _ position: Position, of recording: RecordingID, _ protection: ProtectionClass = .none
    ) {
        let start = batch.bytes.count
        // A value with an invalid time or number is not a position; the gate produces none.
        guard let time = UTCTime(secondsSinceEpoch: position.timestamp),
            PositionPayload.append(position, to: &batch.bytes)
        else { return drop(recording, timeMicroseconds: 0) }
        batch.entries.append(
            Entry(
                recording: recording, bytes: start..<batch.bytes.count, timeMicroseconds: time.microseconds,
                protection: protection))
        makeRoom()
    }

    /// Hands over all pending positions in exchange for a batch whose memory is reused.
    mutating func drain(into taken: inout Batch) {
        if first > 0 { compact() }
        taken.removeAll()
        swap(&batch, &taken)
    }

    /// Returns a batch to the front of the queue, without the first `start` positions, which are in the database.
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

    /// The positions dropped since the last call, by recording.
    mutating func drainDropped() -> [RecordingID: PendingEvents.Dropped] {
        defer { dropped = [:] }
        return dropped
    }

    /// Returns dropped counts that could not be reported yet.
    mutating func giveBack(_ lost: [RecordingID: PendingEvents.Dropped]) {
        dropped.merge(lost) { $0.adding($1) }
    }

    /// Discards everything.
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
        // Only occasionally, so that a queue that is always full moves each position only once.
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
