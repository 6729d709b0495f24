import Durations
import Location
import Platform

/// The arrival times of reports that the kernel buffered while no daemon read them: pure.
///
/// Arrival is derived from the receiver's own time, so no clock has to be correct: the first buffered report is assumed
/// to have arrived right after the last one that was read.
struct Backlog: Equatable {
    private let lastRead: UInt64
    private var first: UTCTime?
    private var latest: UInt64

    /// Reports that arrived since this time of CLOCK_MONOTONIC, in nanoseconds.
    init(since lastRead: UInt64) {
        self.lastRead = lastRead
        latest = lastRead
    }

    /// The arrival time of a report. A report without a time arrived with the one before it. The result never decreases
    /// and is never later than now.
    mutating func arrival(of time: UTCTime?, at now: UInt64) -> UInt64 {
        if let time {
            let seconds = time.seconds(since: first ?? time)
            first = first ?? time
            // A time that is years off is useless.
            if (0...86_400).contains(seconds) { latest = max(latest, lastRead.addingClamped(UInt64(seconds * 1e9))) }
        }
        latest = min(latest, now)
        return latest
    }
}
