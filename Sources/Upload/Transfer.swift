import Location

/// Positions in flight: an HTTP request or a message to a broker.
public struct Transfer: Equatable, Sendable {
    /// The reason why these positions are sent now.
    public enum Lane: String, Sendable {
        /// They are next in the order of the queue.
        case history
        /// The newest position, sent ahead of the order.
        case current
        /// A single position sent ahead of the order to find out whether refusals concern individual positions.
        case probe
        /// A dead letter that is sent again.
        case rejected
        /// The newest position, because the destination has requested it. It settles nothing.
        case requested
        /// No position, but a message about a region.
        case region
    }

    /// The identifier, unique in this process.
    public let id: UInt64
    /// The reason why these positions are sent now.
    public let lane: Lane
    /// The positions, ascending; none of a message about a region, otherwise at least one.
    public let positions: [RecordedPosition]
    /// The newest known position of the recording, if it is not one of `positions`.
    public var current: RecordedPosition? { newest.first }
    /// The storage of `current`. An array makes a transfer without one small: a broker connection has very many in
    /// flight.
    private let newest: [RecordedPosition]
    /// The message about a region.
    public var message: RegionMessage? { messages.first }
    /// The storage of `message`, an array for the same reason.
    private let messages: [RegionMessage]
    /// The text that identifies the message at the destination.
    let messageID: String
    /// Whether a broker is to retain the message for later subscribers, which is so if no newer position was sent
    /// before.
    public internal(set) var isRetained: Bool

    init(id: UInt64, lane: Lane, positions: [RecordedPosition], current: RecordedPosition?, isRetained: Bool) {
        self.id = id
        self.lane = lane
        self.positions = positions
        newest = current.map { [$0] } ?? []
        messages = []
        messageID = ""
        self.isRetained = isRetained
    }

    /// A message about a region, from the uploader of this recording.
    init(id: UInt64, message: RegionMessage, recording: RecordingID) {
        self.id = id
        lane = .region
        positions = []
        newest = []
        messages = [message]
        messageID = "\(recording)/\(message.key)"
        isRetained = false
    }

    /// The key by which a destination recognizes a repeated request: the recording and the range of numbers, in
    /// quotation marks as in draft-ietf-httpapi-idempotency-key-header, a string of RFC 8941. The same positions have
    /// the same key.
    public var idempotencyKey: String {
        guard let first = positions.first, let last = positions.last else { return "\"\(messageID)\"" }
        // Appended instead of interpolated for speed: each HTTP request has a key.
        var key = "\""
        key.reserveCapacity(80)
        key += first.id
        key += "-"
        key += last.sequence.description
        // Not the same request as that of the position itself.
        key += lane == .requested ? "-requested\"" : "\""
        return key
    }

    /// Whether both transfers send the same positions. A number always denotes the same position.
    public func sendsSame(as other: Transfer) -> Bool {
        carries(other.positions) && current?.sequence == other.current?.sequence
    }

    /// Whether these are the positions of this transfer. Both are ascending.
    func carries(_ others: [RecordedPosition]) -> Bool {
        positions.count == others.count && positions.first?.sequence == others.first?.sequence
            && positions.last?.sequence == others.last?.sequence
            && positions.first?.recording == others.first?.recording
    }

    /// The summary that reports contain.
    public var summary: BatchSummary {
        BatchSummary(
            lane: lane, count: positions.count, first: positions.first?.sequence ?? 0,
            last: positions.last?.sequence ?? 0)
    }
}

/// The extent of a transfer in flight.
public struct BatchSummary: Equatable, Sendable {
    /// The reason why these positions are sent now.
    public let lane: Transfer.Lane
    /// The number of positions.
    public let count: Int
    /// The smallest sequence number.
    public let first: Int64
    /// The largest sequence number.
    public let last: Int64
}
