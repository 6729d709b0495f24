import Location

/// A pass over the dead letters of a recording, which are read in pages and sent again one by one.
struct RejectedPass: Equatable {
    /// The largest number that was read.
    private(set) var after: Int64 = 0
    /// Only dead letters since this time are sent again; nil for all.
    var since: UTCTime?
    /// How many more are sent again in this pass.
    var room = Int.max
    /// The positions that were read and not sent yet.
    var positions: [RecordedPosition] = []
    /// Whether a read is in progress.
    var isReading = false
    /// Whether there is nothing more to read.
    private(set) var isComplete = false

    /// The number of dead letters in one read.
    static let pageSize = 16

    init(since: UTCTime? = nil, room: Int = .max) {
        self.since = since
        self.room = room
    }

    /// Appends the result of a read; ignored unless one is in progress.
    mutating func append(_ page: RejectedPage) {
        guard isReading else { return }
        isReading = false
        let found = page.letters.filter { $0.position.sequence > after }
        after = found.last?.position.sequence ?? after
        let chosen = found.filter { letter in since.map { letter.rejectedAt >= $0 } ?? true }.prefix(room)
        room -= chosen.count
        isComplete = found.count < Self.pageSize || room == 0
        positions += chosen.map(\.position)
    }
}
