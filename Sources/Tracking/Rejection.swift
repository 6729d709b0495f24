/// Why a report is no fix. The names are stable: they appear in the status and in metrics.
public enum Rejection: String, Error, CaseIterable, Sendable {
    /// The receiver reports that it has no fix: mode below 2, with or without a time.
    case noFix
    /// A position without a time, for which the system clock may not or not yet be used: see `UndatedState`.
    case noTime
    /// A mode that claims a fix, but no latitude or longitude.
    case noCoordinate
    /// A latitude or longitude that is not a finite number.
    case notFinite
    /// A latitude or longitude outside its range.
    case outOfRange
    /// Latitude and longitude are both 0, which receivers send when they have no position.
    case nullIsland
    /// The report has no accuracy, although the receiver usually reports one, or has not yet shown that it never does.
    case noAccuracy
    /// An error estimate too large to be of use.
    case implausibleAccuracy
    /// An altitude that no receiver on or above the Earth can have.
    case implausibleAltitude
    /// An impossible date: the GPS week number rolls over every 1,024 weeks, and receivers and gpsd guess the era.
    case weekRollover
    /// The same time as the fix before.
    case duplicateEpoch
    /// The same time as a fix that is held for such reports: the report was added to that fix.
    case joinedEpoch
    /// An earlier time than the fix before, for example when a log is replayed in a loop.
    case timeBackwards
    /// The distance from the fix before would need a speed that nothing with a receiver reaches.
    case impossibleSpeed
    /// Another receiver is chosen.
    case otherReceiver
}
