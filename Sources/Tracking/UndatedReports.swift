/// Decides when positions of a receiver that reports no date may be stamped with the system clock.
///
/// Most receivers know the date some seconds after the position, so it is awaited first. A position may only be stamped
/// if it arrived when it was measured: not in a burst, as after a process was stopped, and not right after a silence,
/// which a burst may follow. So there is a learning period, at the beginning and after each silence, in which nothing
/// is stamped.
struct UndatedReports: Equatable {
    /// The result for a report without a date.
    enum Verdict: Equatable {
        /// It arrived when it was measured, and is the first of its epoch.
        case current
        /// It belongs to the same epoch as the report before.
        case sameEpoch
        /// The receiver may still report a date, or the report may have been delayed.
        case notYet
    }

    /// The length of the learning period in seconds, and its least number of reports.
    static let learningSeconds = 10.0
    static let learningReports = 5
    /// The silence after which the learning period starts again, in intervals of the receiver, and its least length in
    /// seconds. It is longer during the learning period, in which the interval is not known yet.
    static let silentIntervals = 3.0
    static let shortestSilence = 2.0
    static let shortestSilenceWhileLearning = 10.0

    /// The share of the interval within which a report belongs to the epoch before it: under a half, so that an
    /// increased rate of a receiver is noticed.
    private static let epochShare = 0.4

    private var began: UInt64?
    private var reports = 0
    private var epochBegan: UInt64 = 0
    /// Seconds between epochs; during the learning period the longest time between two reports.
    private var interval = 0.0

    /// Whether a date is no longer expected.
    private(set) var hasLearned = false

    /// A report with a date was received: nothing is stamped for now.
    mutating func dateReported() {
        guard began != nil else { return }
        self = UndatedReports()
    }

    /// Evaluates a report of a position without a date. `heardAt` is the arrival of the receiver's previous report of
    /// any kind. Both are nanoseconds of CLOCK_MONOTONIC.
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
