/// When the positions of a receiver may be stamped with the system's clock because the receiver reports no date.
///
/// Most receivers know the date some seconds after the place, and are waited for. What may be stamped has to have arrived
/// when it was true: not in a burst, as after a process was stopped, and not right after a silence, behind which a burst may
/// begin. So there is a time of learning, at the beginning and after each silence, in which nothing is stamped.
struct UndatedReports: Equatable {
    /// What becomes of a report without a date.
    enum Verdict: Equatable {
        /// It arrived when it was true, and is the first of its epoch.
        case current
        /// It belongs to the epoch before it.
        case sameEpoch
        /// The receiver may still report a date, or the report may have waited on its way.
        case notYet
    }

    /// Seconds of learning, and the reports that it takes at least.
    static let learningSeconds = 10.0
    static let learningReports = 5
    /// Intervals of the receiver without any report after which learning begins again, and the seconds that they are at least:
    /// more during the learning, which has not seen the interval yet.
    static let silentIntervals = 3.0
    static let shortestSilence = 2.0
    static let shortestSilenceWhileLearning = 10.0

    /// The share of the interval within which a report belongs to the epoch before it: under a half, so that a receiver that
    /// becomes faster is noticed.
    private static let epochShare = 0.4

    private var began: UInt64?
    private var reports = 0
    private var epochBegan: UInt64 = 0
    /// Seconds between epochs; during the learning the longest time between two reports.
    private var interval = 0.0

    /// Whether a date is no longer expected.
    private(set) var hasLearned = false

    /// A report with a date came: nothing is stamped for now.
    mutating func dateReported() {
        guard began != nil else { return }
        self = UndatedReports()
    }

    /// A report of a position without a date came; `heardAt` is when any report of the receiver came before it. Both are
    /// nanoseconds of CLOCK_MONOTONIC.
    mutating func evaluate(at now: UInt64, heardAt: UInt64) -> Verdict {
        guard let began, !isSilence(seconds(from: heardAt, to: now)) else {
            self = UndatedReports()
            (began, epochBegan, reports) = (now, now, 1)
            return .notYet
        }
        let elapsed = seconds(from: epochBegan, to: now)
        guard hasLearned else {
            reports += 1
            interval = max(interval, elapsed)
            epochBegan = now
            hasLearned = reports >= Self.learningReports && seconds(from: began, to: now) >= Self.learningSeconds
            return .notYet
        }
        guard elapsed >= Self.epochShare * interval else { return .sameEpoch }
        interval += (elapsed - interval) / 4
        epochBegan = now
        return .current
    }

    private func isSilence(_ seconds: Double) -> Bool {
        let shortest = hasLearned ? Self.shortestSilence : Self.shortestSilenceWhileLearning
        return interval > 0 && seconds > max(Self.silentIntervals * interval, shortest)
    }

    private func seconds(from earlier: UInt64, to later: UInt64) -> Double {
        Double(later - min(later, earlier)) / 1e9
    }
}
