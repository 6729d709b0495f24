import Durations
import Location

/// Chooses the positions of a recording that a destination receives: a receiver that reports ten times a second, or a
/// parked car, records far more positions than a map needs.
///
/// A position is admitted relative to the last admitted one, so positions are passed in the order of the recording.
/// Without a last admitted position, as at the start, the first position is admitted: the filter may admit a position
/// too many after a restart, and never one too few.
public struct PositionFilter: Equatable, Sendable {
    /// The limits; a limit that is nil does not exist.
    public struct Limits: Equatable, Sendable {
        /// The shortest distance from the last admitted position, metres.
        public var distance: Double?
        /// The shortest time since the last admitted position.
        public var interval: Duration?
        /// The largest horizontal accuracy, metres.
        public var accuracy: Double?
        /// The time between positions of a device that does not move.
        public var stationary: Duration?
    }

    /// The last admitted position.
    private struct Reference: Equatable {
        var coordinate: Coordinate
        /// Seconds since 1970-01-01T00:00:00Z.
        var timestamp: Double
    }

    private var reference: Reference?

    /// Whether this position passes; if it does, it is the reference for the next one.
    ///
    /// Positions of reduced accuracy always pass: they change three times an hour at most, and their distances are
    /// those between cells of a grid.
    mutating func admits(_ position: Position, _ limits: Limits) -> Bool {
        guard position.accuracy == .full else { return true }
        if let accuracy = limits.accuracy, position.horizontalAccuracy > accuracy { return false }
        guard passes(position, limits) else { return false }
        reference = Reference(coordinate: position.coordinate, timestamp: position.timestamp)
        return true
    }

    private func passes(_ position: Position, _ limits: Limits) -> Bool {
        guard let reference else { return true }
        let elapsed = position.timestamp - reference.timestamp
        // The clock was set back, or the positions are from an earlier part of the recording: the reference says nothing.
        guard elapsed >= 0 else { return true }
        if let interval = limits.interval, elapsed < interval.seconds { return false }
        guard limits.distance != nil || limits.stationary != nil else { return true }
        let moved = position.coordinate.distance(to: reference.coordinate)
        // A device that stands still seems to move within its accuracy.
        let noise = limits.stationary == nil ? 0 : position.horizontalAccuracy
        if moved >= max(limits.distance ?? 0, noise) { return true }
        return limits.stationary.map { elapsed >= $0.seconds } ?? false
    }
}
