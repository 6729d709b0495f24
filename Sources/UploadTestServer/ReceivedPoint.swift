import JSONText

/// A point as received, and its values that every format has.
struct ReceivedPoint: Equatable, Sendable {
    /// The id; nil for a point without an id of Waymark's form, which is stored each time it is received.
    var id: PointID?
    /// ISO 8601, or the received text if it is something else.
    var time: String?
    /// Degrees; nil if they are encrypted or missing.
    var latitude, longitude: Double?
    /// m.
    var accuracy: Double?
    /// The point in its format.
    var sent: JSON
}

/// The points of one request.
struct Arrival: Equatable, Sendable {
    var points: [ReceivedPoint]
    /// Overland's current position, beside the batch: shown but not stored, because it is also sent in order.
    var current: ReceivedPoint?
}
