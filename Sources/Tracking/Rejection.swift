/// Why a report is no fix. The names are stable: they appear in status and metrics.
public enum Rejection: String, Error, CaseIterable, Sendable {
    /// The receiver says that it has none: mode below 2, with or without a time.
    case noFix
    /// A position without a time, which the system's clock may not or not yet give: see `UndatedState`.
    case noTime
    /// A mode that claims a fix, without a latitude and longitude.
    case noCoordinate
    /// A latitude or longitude that is no number.
    case notFinite
    /// A latitude or longitude beyond the Earth's.
    case outOfRange
    /// Latitude and longitude both 0, which receivers say when they mean nothing.
    case nullIsland
    /// Nothing says how exact it is, and the receiver otherwise does, or has not yet shown that it never does.
    case noAccuracy
    /// An error estimate beyond all use.
    case implausibleAccuracy
    /// A height that no receiver on or above the Earth has.
    case implausibleAltitude
    /// A date that cannot be: the week number of GPS rolls over every 1,024 weeks, and receivers and gpsd guess.
    case weekRollover
    /// The same moment as the fix before.
    case duplicateEpoch
    /// The same moment as a fix that is held for what such reports add: it is part of that one.
    case joinedEpoch
    /// An earlier moment than the fix before, as when a log is played in a loop.
    case timeBackwards
    /// It would need a speed that nothing has which carries a receiver.
    case impossibleSpeed
    /// Another receiver is better.
    case otherReceiver
}
