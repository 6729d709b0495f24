import Location
import Tracking

/// The straight route between two successive fixes.
struct RouteStep {
    /// Evaluations of the distance to a region at most, for one step.
    private static let maximumEvaluations = 128

    let start: SurfacePoint
    let end: SurfacePoint
    /// Metres.
    let length: Double
    private let startTime: UTCTime
    private let endTime: UTCTime
    /// Metres, the greater standard deviation of the two fixes.
    private let deviation: Double
    private let isPlausible: Bool

    /// Nil if the fixes are too far apart in time, or not in order.
    init?(from previous: Fix, to fix: Fix, _ rules: RegionMonitor.Rules) {
        let gap = fix.time.seconds(since: previous.time)
        guard gap > 0, gap <= rules.longestGap else { return nil }
        (start, end) = (SurfacePoint(previous.coordinate), SurfacePoint(fix.coordinate))
        length = start.distance(to: end)
        (startTime, endTime) = (previous.time, fix.time)
        deviation = max(previous.horizontalAccuracy, fix.horizontalAccuracy) / Confidence.radiusOfDeviation
        isPlausible = rules.plausibility.isReachable(fix, from: previous)
    }

    /// The time at this share of the route, at a constant speed.
    func time(at share: Double) -> UTCTime {
        let gap = Double(endTime.microseconds - startTime.microseconds)
        return UTCTime(microseconds: startTime.microseconds + Int64((gap * max(0, min(1, share))).rounded()))
    }

    /// The shares of the route between which it is on the other side of the region's border than both ends, and at its
    /// farthest with a probability of 0.95. Nil where it is not.
    func passage(through region: Region, _ fix: Evaluation) -> ClosedRange<Double>? {
        guard isPlausible, length > 0 else { return nil }
        let sign = fix.distance > 0 ? 1.0 : -1.0
        let goal = -RegionMonitor.likely * deviation
        let last = sign * fix.distance
        guard last - length <= goal else { return nil }
        let first = sign * region.signedDistance(to: start)
        guard first > 0, (first + last - length) / 2 <= goal else { return nil }
        guard let deep = search(goal, first, last, { sign * region.signedDistance(to: point(at: $0)) }) else {
            return nil
        }
        func border(from outside: Double, to inside: Double) -> Double {
            var (outside, inside) = (outside, inside)
            for _ in 0..<24 {
                let middle = (outside + inside) / 2
                if sign * region.signedDistance(to: point(at: middle)) > 0 { outside = middle } else { inside = middle }
            }
            return (outside + inside) / 2
        }
        let (entry, exit) = (border(from: 0, to: deep), border(from: 1, to: deep))
        return entry <= exit ? entry...exit : nil
    }

    private func point(at share: Double) -> SurfacePoint { (start + (end - start) * share).onSurface }

    /// A share of the route where the distance is at most the goal, halving the part in which it may be least: along a
    /// route, a distance changes by no more than the route is long.
    private func search(_ goal: Double, _ first: Double, _ last: Double, _ distance: (Double) -> Double) -> Double? {
        typealias Part = (from: Double, to: Double, first: Double, last: Double)
        func least(_ part: Part) -> Double { (part.first + part.last - (part.to - part.from) * length) / 2 }
        var parts: [Part] = [(0, 1, first, last)]
        for _ in 0..<Self.maximumEvaluations {
            guard let index = parts.indices.min(by: { least(parts[$0]) < least(parts[$1]) }),
                least(parts[index]) <= goal
            else { return nil }
            let part = parts.remove(at: index)
            let middle = (part.from + part.to) / 2
            let value = distance(middle)
            if value <= goal { return middle }
            parts.append((part.from, middle, part.first, value))
            parts.append((middle, part.to, value, part.last))
        }
        return nil
    }
}
