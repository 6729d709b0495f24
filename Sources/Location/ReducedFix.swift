/// What an app with reduced accuracy may know of where the machine is, and all of it.
///
/// It is built from an allowlist: a cell, a tick, and whether the receiver is simulated. There is no member in which a
/// coordinate, a height, a speed, a receiver's name or a time of its own could ride along.
public struct ReducedFix: Equatable, Sendable {
    /// Metres, the accuracy that every reduced position declares. A cell and its offset reach 7,071 m at their very
    /// corners, 7,500 m at the poles.
    public static let horizontalAccuracy = 7_000.0

    /// Where, as a cell.
    public let cell: ReducedCell
    /// When, as a tick.
    public let tick: ReducedTick
    /// Whether it comes from a replay or a simulator: what it is, not where.
    public let isSimulated: Bool

    /// A reduced fix of these parts.
    public init(cell: ReducedCell, tick: ReducedTick, isSimulated: Bool) {
        self.cell = cell
        self.tick = tick
        self.isSimulated = isSimulated
    }
}

extension Position {
    /// The position that a client with reduced accuracy gets.
    public init(_ reduced: ReducedFix) {
        self.init(
            timestamp: reduced.tick.time.secondsSinceEpoch, coordinate: reduced.cell.centre,
            horizontalAccuracy: ReducedFix.horizontalAccuracy, accuracy: .reduced, isSimulated: reduced.isSimulated)
    }
}
