/// A stay at one place, before the gate has decided who may know it.
public struct Visit: Equatable, Sendable {
    /// The middle of the place.
    public var coordinate: Coordinate
    /// Metres, radius of 68 % confidence; always more than 0.
    public var horizontalAccuracy: Double
    /// When the stay began; nil if it began before it was observed.
    public var arrival: UTCTime?
    /// When the stay ended; nil while it lasts.
    public var departure: UTCTime?
    /// Whether it is of a replay or a simulator.
    public var isSimulated: Bool

    /// Creates a visit.
    public init(
        coordinate: Coordinate, horizontalAccuracy: Double, arrival: UTCTime?, departure: UTCTime?,
        isSimulated: Bool = false
    ) {
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.arrival = arrival
        self.departure = departure
        self.isSimulated = isSimulated
    }
}
