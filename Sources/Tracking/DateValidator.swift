import Location

/// Decides whether the date of a report is plausible, and corrects it if it is off by whole eras.
///
/// GPS counts weeks modulo 1,024. A receiver whose firmware guesses the era wrongly is off by 1,024 weeks, and so is
/// gpsd if it "corrects" a right date. The decision is based on three facts: the build date of this program, the system
/// clock, and whether the kernel considers that clock synchronized.
///
/// | system clock         | date of the report                      | verdict                                   |
/// | -------------------- | --------------------------------------- | ----------------------------------------- |
/// | before the build     | from the build on, up to 1,024 weeks    | plausible                                 |
/// | before the build     | any other                               | impossible                                |
/// | sane                 | within 2 days                           | plausible                                 |
/// | sane                 | whole eras from that                    | plausible, corrected by them              |
/// | sane                 | earlier by up to 1 year, own device     | plausible                                 |
/// | sane                 | earlier otherwise                       | replayed: delivered, and marked simulated |
/// | sane                 | later by up to 1 year, where it may lag | plausible                                 |
/// | sane                 | later otherwise                         | impossible                                |
/// | any, a marked replay | since the first day of GPS              | plausible                                 |
///
/// A correction is accepted only if its result is within 2 days of a sane clock: a different date would have to be off
/// by exactly whole eras to be mistaken for it. A date that is merely old is correct in a replayed log, so it is
/// delivered unchanged, and marked simulated. A receiver on a device of its own reports live positions whatever its
/// date is: if that date and the system clock differ by some days, either may be wrong, and the positions are not
/// simulated.
///
/// The system clock may lag if the kernel does not consider it synchronized: without a battery it continues from the
/// time when the machine was switched off. A lag is only assumed for a receiver on a device of its own. Data over a
/// pseudo-terminal or the network is mostly a log, in which gpsd may have shifted the dates by eras.
struct DateValidator {
    enum Verdict: Equatable {
        case plausible(UTCTime)
        case replayed(UTCTime)
        case impossible
    }

    static let era: Int64 = 1024 * 7 * 86_400 * 1_000_000
    static let day: Int64 = 86_400 * 1_000_000
    /// 1980-01-06T00:00:00Z.
    static let firstDayOfGPS = UTCTime(microseconds: 315_964_800_000_000)

    /// A correct clock is never before this time.
    var built: UTCTime

    func validate(_ time: UTCTime, from receiver: String, isSimulated: Bool, at instant: Instant) -> Verdict {
        guard time >= Self.firstDayOfGPS else { return .impossible }
        if isSimulated { return .plausible(time) }
        guard instant.utc >= built else { return validateWithoutClock(time) }
        let ahead = time.microseconds - instant.utc.microseconds
        if ahead.magnitude <= (2 * Self.day).magnitude { return .plausible(time) }
        let eras = Int64((Double(ahead) / Double(Self.era)).rounded())
        let corrected = UTCTime(microseconds: time.microseconds - eras * Self.era)
        if (corrected.microseconds - instant.utc.microseconds).magnitude <= (2 * Self.day).magnitude {
            return .plausible(corrected)
        }
        let isLive = Self.isOwnDevice(receiver) && ahead.magnitude <= (366 * Self.day).magnitude
        if ahead < 0 { return isLive ? .plausible(time) : .replayed(time) }
        return isLive && !instant.isSynchronised ? .plausible(time) : .impossible
    }

    private func validateWithoutClock(_ time: UTCTime) -> Verdict {
        let ahead = time.microseconds - built.microseconds
        return (0...Self.era).contains(ahead) ? .plausible(time) : .impossible
    }

    private static func isOwnDevice(_ receiver: String) -> Bool {
        receiver.hasPrefix("/dev/") && !receiver.hasPrefix("/dev/pts/")
    }
}
