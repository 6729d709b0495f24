import Location

/// The result of a read of a recording's dead letters.
public struct RejectedPage: Equatable, Sendable {
    /// A dead letter.
    public struct Letter: Equatable, Sendable {
        /// The position that the destination has refused.
        public var position: RecordedPosition
        /// The time at which it became a dead letter.
        public var rejectedAt: UTCTime

        /// A dead letter of these parts.
        public init(_ position: RecordedPosition, rejectedAt: UTCTime) {
            self.position = position
            self.rejectedAt = rejectedAt
        }
    }

    /// The dead letters by ascending numbers. A page with fewer than were requested is the last one.
    public let letters: [Letter]

    /// A page of these dead letters.
    public init(_ letters: [Letter]) {
        self.letters = letters
    }
}
