import Location

/// Which points have come, and how often.
struct Ledger: Sendable {
    /// The numbers known of each recording.
    private(set) var recordings: [RecordingID: NumberRanges] = [:]
    /// Points that came in this run, in requests that were taken.
    private(set) var received = 0
    /// Those that were known already.
    private(set) var duplicates = 0
    /// Those without an id of Waymark's kind.
    private(set) var nameless = 0
    /// Points that were in the file when the server started.
    private(set) var found = 0

    /// More recordings than this are not told apart: their points count as if they had no id.
    private static let mostRecordings = 10_000

    /// Points that are stored and have an id, each counted once.
    var distinct: Int { recordings.values.reduce(0) { $0 + $1.count } }

    /// Takes note of a point that an earlier run stored.
    mutating func find(_ id: PointID) {
        found += 1
        recordings[id.recording, default: NumberRanges()].insert(id.sequence)
    }

    /// The points among these that are to be stored; the same id twice in one request counts as a duplicate as well.
    func new(among points: [ReceivedPoint]) -> [ReceivedPoint] {
        var seen: Set<PointID> = []
        return points.filter { point in
            guard let id = point.id else { return true }
            return !knows(id) && seen.insert(id).inserted
        }
    }

    private func knows(_ id: PointID) -> Bool { recordings[id.recording]?.contains(id.sequence) == true }

    /// Takes note of the points of a request, those that were stored among them.
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
