import Location

/// The received points, and how often each was received.
struct Ledger: Sendable {
    /// The known numbers of each recording.
    private(set) var recordings: [RecordingID: NumberRanges] = [:]
    /// The points received in this run in accepted requests.
    private(set) var received = 0
    /// The received points that were known already.
    private(set) var duplicates = 0
    /// The received points without an id of Waymark's form.
    private(set) var nameless = 0
    /// The points that were in the file when the server started.
    private(set) var found = 0

    /// The most recordings that are tracked: points of further ones count as if they had no id.
    private static let mostRecordings = 10_000

    /// The number of stored points with an id, each counted once.
    var distinct: Int { recordings.values.reduce(0) { $0 + $1.count } }

    /// Records a point that an earlier run stored.
    mutating func find(_ id: PointID) {
        found += 1
        recordings[id.recording, default: NumberRanges()].insert(id.sequence)
    }

    /// The points that are to be stored; the same id twice in one request is also a duplicate.
    func new(among points: [ReceivedPoint]) -> [ReceivedPoint] {
        var seen: Set<PointID> = []
        return points.filter { point in
            guard let id = point.id else { return true }
            return !knows(id) && seen.insert(id).inserted
        }
    }

    private func knows(_ id: PointID) -> Bool { recordings[id.recording]?.contains(id.sequence) == true }

    /// Records the points of a request, and which of them were stored.
    mutating func note(_ points: [ReceivedPoint], stored: [ReceivedPoint]) {
        received += points.count
        duplicates += points.count - stored.count
        for point in stored {
            guard let id = point.id, recordings[id.recording] != nil || recordings.count < Self.mostRecordings else {
                nameless += 1
                continue
            }
            recordings[id.recording, default: NumberRanges()].insert(id.sequence)
        }
    }
}
