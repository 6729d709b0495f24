import JSONText

/// A point as it came, and what of it every format has.
struct ReceivedPoint: Equatable, Sendable {
    /// What it is called; nil where it has no id of Waymark's kind, and is stored however often it comes.
    var id: PointID?
    /// ISO 8601, or what stood in its place.
    var time: String?
    /// Degrees; nil where they are sealed or missing.
    var latitude, longitude: Double?
    /// m.
    var accuracy: Double?
    /// The format's own words.
    var sent: JSON
}

/// What came with one request.
struct Arrival: Equatable, Sendable {
    var points: [ReceivedPoint]
    /// Where Overland says that it is now, beside the batch: shown, not stored, as it comes in its turn too.
    var current: ReceivedPoint?
}
