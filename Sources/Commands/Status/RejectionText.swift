/// The reasons why reports of the receiver were rejected, in words.
enum RejectionText {
    /// The reason in words; its name where this version does not know it.
    static func words(_ reason: String) -> String {
        known[reason] ?? reason
    }

    private static let known = [
        "noFix": "the receiver had no fix",
        "noTime": "a position without a date",
        "noCoordinate": "no latitude and longitude",
        "notFinite": "a latitude or longitude that is not a number",
        "outOfRange": "a latitude or longitude beyond the Earth's",
        "nullIsland": "0°, 0°, which receivers report instead of nothing",
        "noAccuracy": "no error estimate",
        "implausibleAccuracy": "an error estimate that is too large",
        "implausibleAltitude": "an impossible altitude",
        "weekRollover": "an impossible date, as after a week number rollover",
        "duplicateEpoch": "the same time twice",
        "joinedEpoch": "merged with the report before, of the same time",
        "timeBackwards": "an earlier time than before",
        "impossibleSpeed": "a jump that no vehicle makes",
        "otherReceiver": "another receiver is better",
    ]
}
