/// A UTC time as calendar date and time of day, without leap seconds, as receivers and ISO 8601 write it.
public struct CivilTime: Equatable, Sendable {
    /// The year, proleptic Gregorian; there is a year 0.
    public var year: Int
    /// 1…12.
    public var month: Int
    /// 1…31.
    public var day: Int
    /// Microseconds since midnight.
    public var microsecondsOfDay: Int64

    private static let microsecondsADay: Int64 = 86_400_000_000

    /// Creates a date and time of day, which are not checked.
    public init(year: Int, month: Int, day: Int, microsecondsOfDay: Int64) {
        self.year = year
        self.month = month
        self.day = day
        self.microsecondsOfDay = microsecondsOfDay
    }

    /// The calendar date and time of day of a time.
    public init(_ time: UTCTime) {
        var days = time.microseconds / Self.microsecondsADay
        microsecondsOfDay = time.microseconds % Self.microsecondsADay
        if microsecondsOfDay < 0 {
            microsecondsOfDay += Self.microsecondsADay
            days -= 1
        }
        // The calendar repeats every 400 years, and in a year that begins in March the leap day comes last.
        let sinceMarchOfYear0 = Int(days) + 719_468
        let era = (sinceMarchOfYear0 >= 0 ? sinceMarchOfYear0 : sinceMarchOfYear0 - 146_096) / 146_097
        let dayOfEra = sinceMarchOfYear0 - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The time as microseconds since the epoch.
    public var time: UTCTime {
        func floored(_ number: Int, by divisor: Int) -> Int {
            number / divisor - (number % divisor < 0 ? 1 : 0)
        }
        let marchYear = month <= 2 ? year - 1 : year
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let leapDays = floored(marchYear, by: 4) - floored(marchYear, by: 100) + floored(marchYear, by: 400)
        let days = 365 * marchYear + leapDays + (153 * monthFromMarch + 2) / 5 + day - 1 - 719_468
        return UTCTime(microseconds: Int64(days) * Self.microsecondsADay + microsecondsOfDay)
    }
}
