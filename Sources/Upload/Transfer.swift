import Location

/// Positions on their way: a request of HTTP, or a message to a broker.
public struct Transfer: Equatable, Sendable {
    /// Why these positions are sent now.
    public enum Lane: String, Sendable {
        /// It is their turn.
        case history
        /// The newest one, before its turn.
        case current
        /// A position that is sent alone, out of turn, to find out whether refusals concern the positions.
        case probe
        /// A dead letter that is tried again.
        case rejected
    }

    /// What tells it from every other of this process.
    public let id: UInt64
    /// Why these positions are sent now.
    public let lane: Lane
    /// The positions, ascending; one at least.
    public let positions: [RecordedPosition]
    /// The newest position of the recording that is known, where it is not among them.
    public var current: RecordedPosition? { newest.first }
    /// The same, where a transfer that has none stays small: very many are under way at a broker.
    private let newest: [RecordedPosition]
    /// Whether a broker is to keep it for those who subscribe later: nothing newer was sent before.
    public internal(set) var isRetained: Bool

    init(id: UInt64, lane: Lane, positions: [RecordedPosition], current: RecordedPosition?, isRetained: Bool) {
        self.id = id
        self.lane = lane
        self.positions = positions
        newest = current.map { [$0] } ?? []
        self.isRetained = isRetained
    }

    /// What a destination may know a repeated request by: the recording and the range of numbers, in quotation marks as
    /// draft-ietf-httpapi-idempotency-key-header has it, a string of RFC 8941. The same positions have the same key.
    public var idempotencyKey: String {
        guard let first = positions.first, let last = positions.last else { return "" }
        // Appended and not interpolated: each request over HTTP has one.
        var key = "\""
        key.reserveCapacity(80)
        key += first.id
        key += "-"
        key += last.sequence.description
        key += "\""
        return key
    }

    /// Whether what is sent is the same: a number is always the same position.
    public func sendsSame(as other: Transfer) -> Bool {
        carries(other.positions) && current?.sequence == other.current?.sequence
    }

    /// Whether these are its positions, which are ascending as its own are.
    func carries(_ others: [RecordedPosition]) -> Bool {
        positions.count == others.count && positions.first?.sequence == others.first?.sequence
            && positions.last?.sequence == others.last?.sequence
            && positions.first?.recording == others.first?.recording
    }

    /// What is told about it.
    public var summary: BatchSummary {
        BatchSummary(
            lane: lane, count: positions.count, first: positions.first?.sequence ?? 0,
            last: positions.last?.sequence ?? 0)
    }
}

/// How much is under way.
public struct BatchSummary: Equatable, Sendable {
    /// Why these positions are sent now.
    public let lane: Transfer.Lane
    /// How many positions.
    public let count: Int
    /// The smallest number.
    public let first: Int64
    /// The largest number.
    public let last: Int64
}
