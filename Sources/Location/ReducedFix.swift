/// Everything that an app with reduced accuracy may know about the machine's position.
///
/// It is built from an allowlist: a cell, a tick, and whether the receiver is simulated. No member could hold a
/// coordinate, an altitude, a speed, a receiver's name or a time of its own.
public struct ReducedFix: Equatable, Sendable {
    /// Metres, the declared accuracy of every reduced position. The farthest point from a cell's centre, with the
    /// offset, is 7,071 m away, and 7,500 m at the poles.
    public static let horizontalAccuracy = 7_000.0

    /// The place, as a cell.
    public let cell: ReducedCell
    /// The time, as a tick.
    public let tick: ReducedTick
    /// Whether it comes from a replay or a simulator.
    public let isSimulated: Bool

    /// Creates a reduced fix.
    public init(cell: ReducedCell, tick: ReducedTick, isSimulated: Bool) {
        self.cell = cell
        self.tick = tick
        self.isSimulated = isSimulated
    }
}

extension Position {
    /// The position for a client with reduced accuracy.
    public init(_ reduced: ReducedFix) {
        self.init(
            timestamp: reduced.tick.time.secondsSinceEpoch, coordinate: reduced.cell.centre,
            horizontalAccuracy: ReducedFix.horizontalAccuracy, accuracy: .reduced, isSimulated: reduced.isSimulated)
    }
}
