import Location
import Platform
import Protection

/// The positions that are not committed yet, in order, as the bytes that are stored. When there are too many, the
/// oldest is dropped and counted for its recording.
///
/// A position is sealed with the keys that were valid when it was recorded. So those that are recorded after a change of the
/// keys was requested are not handed over before that change.
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

        /// Appends all positions of another batch.
        fileprivate mutating func append(_ other: borrowing Batch) {
            for entry in other.entries {
                let offset = bytes.count
                bytes.append(contentsOf: other.bytes[entry.bytes])
                entries.append(entry.moved(to: offset))
            }
        }

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
    /// The positions recorded after each change of the keys that has been requested and not made yet, the earliest change first.
    private var later: [Batch] = []
    /// The number of positions dropped at the front of the batch.
    private var first = 0
    private var dropped: [RecordingID: PendingEvents.Dropped] = [:]
    /// The number of positions dropped since the start.
    private(set) var droppedTotal: Int64 = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// The number of pending positions.
    var count: Int { later.reduce(batch.entries.count - first) { $0 + $1.entries.count } }

    /// Appends a position.
    mutating func append(
        _ position: Position, of recording: RecordingID, _ protection: ProtectionClass = .none
    ) {
        let isAppended =
            later.isEmpty
            ? Self.append(position, of: recording, protection, to: &batch)
            : Self.append(position, of: recording, protection, to: &later[later.count - 1])
        if isAppended { makeRoom() } else { drop(recording, timeMicroseconds: 0) }
    }

    private static func append(
        _ position: Position, of recording: RecordingID, _ protection: ProtectionClass, to batch: inout Batch
    ) -> Bool {
        let start = batch.bytes.count
        // A value with an invalid time or number is not a position; the gate produces none.
        guard let time = UTCTime(secondsSinceEpoch: position.timestamp),
            PositionPayload.append(position, to: &batch.bytes)
        else { return false }
        batch.entries.append(
            Entry(
                recording: recording, bytes: start..<batch.bytes.count, timeMicroseconds: time.microseconds,
                protection: protection))
        return true
    }

    /// A change of the keys is requested: what is recorded from now on needs the new ones.
    mutating func expectKeys() { later.append(Batch()) }

    /// The earliest requested change of the keys was made.
    mutating func keysChanged() {
        guard !later.isEmpty else { return }
        var next = later.removeFirst()
        batch.append(next)
        next.removeAll()
    }

    /// Hands over the pending positions that need the present keys, in exchange for a batch whose memory is reused.
    mutating func drain(into taken: inout Batch) {
        if first > 0 { compact() }
        taken.removeAll()
        swap(&batch, &taken)
    }

    /// Returns a batch to the front of the queue, without the first `start` positions, which are in the database.
    mutating func giveBack(_ taken: inout Batch, from start: Int) {
        if first > 0 { compact() }
        taken.append(batch)
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
        (later, first, dropped) = ([], 0, [:])
    }

    private mutating func makeRoom() {
        while count > capacity {
            let oldest: Entry
            if first < batch.entries.count {
                oldest = batch.entries[first]
                first += 1
            } else {
                guard let index = later.firstIndex(where: { !$0.entries.isEmpty }) else { break }
                oldest = later[index].entries.removeFirst()
            }
            drop(oldest.recording, timeMicroseconds: oldest.timeMicroseconds)
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
