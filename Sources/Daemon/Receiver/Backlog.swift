import Durations
import Location
import Platform

/// When that came which the kernel held while no daemon read it: pure.
///
/// It is told from the receiver's own time, which needs no clock that is right: the first of it came right after the last
/// that was read.
struct Backlog: Equatable {
    private let lastRead: UInt64
    private var first: UTCTime?
    private var latest: UInt64

    /// What came since this moment of CLOCK_MONOTONIC, in nanoseconds.
    init(since lastRead: UInt64) {
        self.lastRead = lastRead
        latest = lastRead
    }

    /// When a report of this time came; one without came with the one before it. Never later than now, and in order.
    mutating func arrival(of time: UTCTime?, at now: UInt64) -> UInt64 {
        if let time {
            let seconds = time.seconds(since: first ?? time)
            first = first ?? time
            // A time that is off by years is none to reckon with.
            if (0...86_400).contains(seconds) { latest = max(latest, lastRead.addingClamped(UInt64(seconds * 1e9))) }
        }
        latest = min(latest, now)
        return latest
    }
}
