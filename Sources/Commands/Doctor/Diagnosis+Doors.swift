/// Who else can read gpsd.
extension Diagnosis {
    /// That any user can read gpsd keeps no position away, but what was authorized holds nobody off.
    var doors: [Finding] {
        guard let warning = facts.doors.warning else { return [] }
        return [Finding(severity: .note, subject: "Privacy", text: warning, advice: GPSDDoors.advice)]
    }

    /// A closed gpsd that this user may not ask, which is as it should be.
    var closedGPSD: Finding {
        Finding(
            severity: .note, subject: "gpsd", text: "it is closed to everybody but Waymark's daemon.",
            advice: "Run this with sudo to ask it.")
    }
}
