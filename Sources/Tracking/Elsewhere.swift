import Location

/// Fixes since the last believed fix, at a place too far from it for a possible speed.
struct Elsewhere {
    /// The latest of these fixes.
    var fix: Fix
    /// The time of the first of the fixes that are consistent with each other, and their number.
    var since: UTCTime
    var count = 1
    /// Whether the receiver's reported speed explains the distances between these fixes.
    var speedExplains = true
    /// The speed that the receiver reported in the meantime.
    var reported: ReportedSpeed
}

/// The speed that a receiver reported between two fixes.
struct ReportedSpeed {
    /// The greatest reported speed plus its 95 % error, metres per second; nil if a report had no speed.
    var fastest: Double?
    /// The longest time between two reports, in seconds: the receiver may have moved faster in between.
    var longestGap = 0.0

    /// Extends the range from the previous fix to the next one.
    init(_ before: ReportedSpeed?, from previous: Fix, to fix: Fix) {
        longestGap = max(before?.longestGap ?? 0, fix.time.seconds(since: previous.time))
        let known = before == nil ? Self.greatest(of: previous) : before?.fastest
        guard let known, let speed = Self.greatest(of: fix) else { return }
        fastest = max(known, speed)
    }

    private static func greatest(of fix: Fix) -> Double? {
        fix.speed.map { $0 + (fix.speedAccuracy ?? 0) / Confidence.linear }
    }

    /// The greatest possible average speed, metres per second.
    func bound(_ limits: FixFilter.Limits) -> Double {
        guard let fastest else { return limits.speed }
        return min(limits.speed, fastest + limits.acceleration * max(1, longestGap))
    }
}
