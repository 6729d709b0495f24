import Location

/// Fixes since the last one believed, at a place from which that is too far away.
struct Elsewhere {
    /// The latest of them.
    var fix: Fix
    /// The time of the first of those that are consistent with each other, and how many these are.
    var since: UTCTime
    var count = 1
    /// Whether the receiver's own speed explains the way between these.
    var speedExplains = true
    /// What the receiver reported of its speed meanwhile.
    var reported: ReportedSpeed
}

/// What a receiver reported of its speed on the way from a fix to a later one.
struct ReportedSpeed {
    /// The greatest, with its error at 95 %, metres a second; nil where a report left it out.
    var fastest: Double?
    /// The longest time between two reports, seconds: in between it may have gone faster.
    var longestGap = 0.0

    /// Up to a fix that follows the one before by so many seconds.
    init(_ before: ReportedSpeed?, from previous: Fix, to fix: Fix) {
        longestGap = max(before?.longestGap ?? 0, fix.time.seconds(since: previous.time))
        let known = before == nil ? Self.greatest(of: previous) : before?.fastest
        guard let known, let speed = Self.greatest(of: fix) else { return }
        fastest = max(known, speed)
    }

    private static func greatest(of fix: Fix) -> Double? {
        fix.speed.map { $0 + (fix.speedAccuracy ?? 0) / Confidence.linear }
    }

    /// The most that it may have gone on average, metres a second.
    func bound(_ limits: FixFilter.Limits) -> Double {
        guard let fastest else { return limits.speed }
        return min(limits.speed, fastest + limits.acceleration * max(1, longestGap))
    }
}
