/// Other access to gpsd.
extension Diagnosis {
    /// A gpsd that any user can read is no reason for a missing position, but it bypasses the authorization.
    var doors: [Finding] {
        guard let warning = facts.doors.warning else { return [] }
        return [Finding(severity: .note, subject: "Privacy", text: warning, advice: GPSDDoors.advice)]
    }

    /// A closed gpsd does not accept this user, as intended.
    var closedGPSD: Finding {
        Finding(
            severity: .note, subject: "gpsd", text: "it is closed to everybody but Waymark's daemon.",
            advice: "Run this with sudo to query it.")
    }
}
