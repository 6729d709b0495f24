import Location

/// Proprietary sentences of manufacturers, which a reader must parse or skip.
extension Sentence {
    /// The sentences that receivers of three manufacturers add to an epoch: MediaTek's announcements, u-blox's
    /// position, Garmin's error estimate, altitude and map datum.
    static func proprietary(_ observation: Observation, epoch: Int) -> [Sentence] {
        var sentences: [Sentence] = []
        if epoch == 0 {
            sentences += [
                Sentence("PMTK011", ["MTKGPS"]), Sentence("PMTK010", ["001"]), Sentence("PMTK001", ["314", "3"]),
            ]
        }
        switch epoch % 3 {
        case 0: sentences.append(pgrme(observation))
        case 1: sentences.append(Sentence("PGRMM", ["WGS 84"]))
        default: sentences.append(pubxTime(observation))
        }
        return sentences
    }

    /// Garmin's estimated errors in metres: horizontal, vertical, of the position.
    private static func pgrme(_ observation: Observation) -> Sentence {
        guard observation.solution.hasPosition else { return Sentence("PGRME", ["", "M", "", "M", "", "M"]) }
        let horizontal = PlanePoint(east: observation.errors.east, north: observation.errors.north).length
        let position = PlanePoint(east: horizontal, north: observation.errors.up).length
        let numbers = [horizontal, observation.errors.up, position]
        return Sentence("PGRME", numbers.flatMap { [Decimal.text($0, fraction: 1), "M"] })
    }

    /// u-blox's time of day and clock state: time, date, seconds of the week, week, leap seconds, bias, drift, pulse.
    private static func pubxTime(_ observation: Observation) -> Sentence {
        let civil = CivilTime(observation.time)
        let gpsEpoch = UTCTime(microseconds: 315_964_800_000_000)
        let leapSeconds = 18.0
        let seconds = observation.time.seconds(since: gpsEpoch) + leapSeconds
        let week = (seconds / 604_800).rounded(.down)
        let date = [civil.day, civil.month, civil.year % 100].map { Decimal.padded($0, to: 2) }.joined()
        return Sentence(
            "PUBX",
            [
                "04", civil.clock(fraction: 2, separator: ""), date,
                Decimal.text(seconds - week * 604_800, fraction: 2), Decimal.text(week, fraction: 0), "18", "48212",
                "-12.416", "21",
            ])
    }
}
