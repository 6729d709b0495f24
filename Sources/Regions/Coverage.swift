import Location
import Tracking

/// Where the regions in memory are all that a fix can change: what remains of a neighbourhood after its pass.
public struct Coverage: Equatable, Sendable {
    /// The place of the pass.
    public let middle: SurfacePoint
    /// Metres from the middle: each region with a border nearer than this is in memory.
    public let reach: Double

    /// Whether the regions in memory are all that this fix can change.
    public func covers(_ fix: Fix) -> Bool { moved(to: fix) < reach }

    /// Whether the next pass should begin, so that it ends before it is needed.
    public func isPassDue(at fix: Fix) -> Bool { moved(to: fix) >= reach / 2 }

    /// Metres that the machine may move from a place until the next pass is due.
    public func remainder(at place: SurfacePoint) -> Double { reach / 2 - middle.distance(to: place) }

    /// Metres from the middle to the farthest place where the machine may be.
    private func moved(to fix: Fix) -> Double {
        middle.distance(to: SurfacePoint(fix.coordinate))
            + RegionMonitor.likely * fix.horizontalAccuracy / Confidence.radiusOfDeviation
    }
}
