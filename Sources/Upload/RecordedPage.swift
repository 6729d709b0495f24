import Location

/// What is to be read from a recording.
public struct ReadRequest: Equatable, Sendable {
    /// Only positions with a larger number than this.
    public let after: Int64
    /// At most so many, those with the smallest numbers; never more than `mostPositions`.
    public let limit: Int
    /// Whether to wait until there is one.
    public let waits: Bool

    /// The most that a recording is asked for at once.
    public static let mostPositions = 1_000
}

/// What has been read from a recording.
public struct RecordedPage: Equatable, Sendable {
    /// The positions, ascending; dead letters, and what cannot be read, are left out. None where there are no more.
    public let positions: [RecordedPosition]
    /// The largest number that the recording had when it was read, that of a dead letter too; 0 where it had none.
    public let last: Int64

    /// A page of these positions.
    public init(_ positions: [RecordedPosition], last: Int64) {
        self.positions = positions
        self.last = last
    }
}
