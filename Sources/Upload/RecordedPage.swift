import Location

/// A read of positions from a recording.
public struct ReadRequest: Equatable, Sendable {
    /// Only positions with a larger number than this are read.
    public let after: Int64
    /// The most positions to read, those with the smallest numbers; never more than `mostPositions`.
    public let limit: Int
    /// Whether the read waits until there is a position.
    public let waits: Bool

    /// The most positions that one read may request.
    public static let mostPositions = 1_000
}

/// The result of a read from a recording.
public struct RecordedPage: Equatable, Sendable {
    /// The positions, ascending, without dead letters and unreadable positions. An empty page means that there are no
    /// more.
    public let positions: [RecordedPosition]
    /// The largest number in the recording at the time of the read, including dead letters; 0 for an empty recording.
    public let last: Int64

    /// A page of these positions.
    public init(_ positions: [RecordedPosition], last: Int64) {
        self.positions = positions
        self.last = last
    }
}
