/// Why a report is no fix. The names are stable: they appear in the status and in metrics.
///
/// This file has everything about a reason but the check that finds it: `explanation` is what people read.
public enum Rejection: String, Error, CaseIterable, Sendable {
    /// The receiver reports that it has no fix.
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
    /// An earlier time than the fix before.
    case timeBackwards
    /// The distance from the fix before would need a speed that nothing with a receiver reaches.
    case impossibleSpeed
    /// Another receiver is chosen.
    case otherReceiver
}

extension Rejection {
    /// What people read about a reason. The table in Documentation/receiver.md is generated from it.
    public struct Explanation: Sendable {
        /// The reason in a few words, in `waymark status` and `waymark doctor`.
        public let summary: String
        /// When a report is rejected for it, in the documentation.
        public let condition: String
        /// What to do about it, in `waymark doctor`; nil where nothing has to be done, or where that depends on more
        /// than the reason.
        public let advice: String?

        fileprivate init(_ summary: String, when condition: String, advice: String? = nil) {
            self.summary = summary
            self.condition = condition
            self.advice = advice
        }
    }

    /// The summary of the reason of this name; the name itself where this version does not know it.
    public static func summary(of name: String) -> String { Rejection(rawValue: name)?.explanation.summary ?? name }

    /// What people read about the reason.
    public var explanation: Explanation {
        switch self {
        case .noFix: Explanation("the receiver had no fix", when: "mode below 2, with or without a time")
        case .noTime:
            Explanation(
                "a position without a date",
                when: "a position without a date, for which this machine's clock may not or not yet be used: see"
                    + " [Receivers without a date](#receivers-without-a-date)")
        case .noCoordinate:
            Explanation("no latitude and longitude", when: "a mode of 2 or more, but no latitude or no longitude")
        case .notFinite:
            Explanation(
                "a latitude or longitude that is not a number",
                when: "the latitude or longitude is not a finite number",
                advice: "The receiver reports a value that is not a number: update its firmware.")
        case .outOfRange:
            Explanation(
                "a latitude or longitude beyond the Earth's",
                when: "a latitude beyond 90° or a longitude beyond 180°",
                advice: "The receiver reports coordinates outside the Earth: update its firmware.")
        case .nullIsland:
            Explanation(
                "0°, 0°, which receivers report instead of nothing", when: "latitude and longitude are both 0",
                advice: "The receiver reports 0°, 0° where it should report nothing: update its firmware.")
        case .noAccuracy:
            Explanation(
                "no error estimate",
                when: "no error estimate, although a later report of the same epoch is expected to have one, or the"
                    + " receiver has not yet shown that it never reports one",
                advice: "The receiver gives no error estimate: let gpsd read its own protocol instead of bare NMEA, or"
                    + " enable its GST or GSA sentences.")
        case .implausibleAccuracy:
            Explanation(
                "an error estimate that is too large", when: "an error estimate of more than 100 km",
                advice: "The receiver's accuracy is far too low: it needs a view of the sky.")
        case .implausibleAltitude:
            Explanation(
                "an impossible altitude", when: "an altitude below −12 km or above 100 km",
                advice: "The receiver reports an impossible altitude: it needs a view of the sky.")
        case .weekRollover:
            Explanation(
                "an impossible date, as after a week number rollover",
                when: "an impossible date: see [Dates](#dates)",
                advice: "The receiver's or gpsd's date is off by 1,024 weeks: update the receiver's firmware, or gpsd,"
                    + " and check this machine's clock.")
        case .duplicateEpoch: Explanation("the same time twice", when: "the same time as the fix before")
        case .joinedEpoch:
            Explanation(
                "merged with the report before, of the same time",
                when: "the same time as a fix that is held for such reports: the report is merged with that fix")
        case .timeBackwards:
            Explanation(
                "an earlier time than before",
                when: "an earlier time than the fix before, as when a log is played in a loop",
                advice: "Time runs backwards, as in a log that is played in a loop: wait, or restart the player.")
        case .impossibleSpeed:
            Explanation(
                "a jump that no vehicle makes",
                when: "the distance from the fix before, less both radii of 95 %, would need more than `MaximumSpeed`,"
                    + " or more than the receiver's own speed explains. A receiver that reports the other position for"
                    + " ten seconds is believed",
                advice: "The position jumps, as with reflections between buildings or two receivers in one: see"
                    + " `waymark satellites`.")
        case .otherReceiver:
            Explanation(
                "another receiver is better",
                when: "another receiver is chosen: see"
                    + " [Several receivers](#several-receivers)")
        }
    }
}
