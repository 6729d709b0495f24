import Location
import Tracking

/// The regions that have to be in memory at a place, and how far the machine may move until these are others.
///
/// All regions are stored; a pass over those near a place offers them here. What remains is bounded: the regions with
/// the nearest borders. A region with a border farther away than `reach` cannot change before the machine has moved so
/// far, and is left out, unless what is known about it disagrees with where the machine is.
public struct Neighbourhood: Sendable {
    /// The most regions in memory.
    public static let maximumRegions = 1_024
    /// The most points of all regions in memory, which are about 80 bytes each. A single region may have
    /// `Region.maximumPoints`.
    public static let maximumPoints = 100_000
    /// Metres of the farthest border that is wanted, for an accurate fix. The next pass is due after half of it, which no
    /// machine travels while its receiver may sleep.
    public static let usualReach = 150_000.0

    /// Where the machine is.
    public let middle: SurfacePoint
    /// Metres from the middle: each region with a border nearer than this is in memory.
    public private(set) var reach: Double

    private let wanted: Double
    private let limits: (regions: Int, points: Int)
    private let known: [Int64: MonitoredRegion]
    private var entries: [Entry] = []
    /// The points of all entries.
    private var points = 0

    private struct Entry {
        var region: MonitoredRegion
        /// Metres to the border; 0 for a region that has to be evaluated in any case.
        var distance: Double
    }

    /// A neighbourhood of a fix, without regions. The regions of the monitor keep what is known about them.
    public init(
        of fix: Fix, for monitor: RegionMonitor, maximumRegions: Int = maximumRegions,
        maximumPoints: Int = maximumPoints
    ) {
        middle = SurfacePoint(fix.coordinate)
        // What the fix cannot decide has to be within reach, and some movement more.
        wanted = Self.usualReach + 4 * fix.horizontalAccuracy
        reach = wanted
        limits = (maximumRegions, maximumPoints)
        known = monitor.regions
    }

    /// Offers a stored region. To be offered are all regions whose bounds are nearer than `reach` was at the start, and
    /// all whose stored state is not `outside`.
    public mutating func offer(_ stored: MonitoredRegion) {
        let region = known[stored.number] ?? stored
        let distance = region.region.signedDistance(to: middle)
        let isRight = region.state == (distance < 0 ? .inside : .outside)
        // What is known about a stay that is not over is not stored, and would be lost with the region.
        let isNeeded = !isRight || region.deadline != nil
        guard (abs(distance) < wanted && abs(distance) <= reach) || isNeeded else { return }
        entries.append(Entry(region: region, distance: isNeeded ? 0 : abs(distance)))
        points += region.region.pointCount
        if entries.count > limits.regions + limits.regions / 8 || points >= 2 * max(1, limits.points) { shorten() }
    }

    /// Ends the pass early: not all regions were offered, and the next fix needs another pass.
    public mutating func interrupt() { reach = 0 }

    /// The regions that stay in memory.
    public mutating func regions() -> [MonitoredRegion] {
        shorten()
        return entries.map(\.region)
    }

    /// Where the regions in memory are all that can change.
    public var coverage: Coverage { Coverage(middle: middle, reach: reach) }

    /// Whether the regions in memory are all that this fix can change.
    public func covers(_ fix: Fix) -> Bool { coverage.covers(fix) }

    /// Whether the next pass should begin, so that it ends before it is needed.
    public func isPassDue(at fix: Fix) -> Bool { coverage.isPassDue(at: fix) }

    /// Drops the regions with the farthest borders until the limits are met: nearer than the first of them, all regions
    /// are in memory.
    private mutating func shorten() {
        entries.sort { ($0.distance, $0.region.number) < ($1.distance, $1.region.number) }
        var retained = 0
        for (index, entry) in entries.enumerated() {
            let more = entry.region.region.pointCount
            guard index >= limits.regions || (retained + more > limits.points && index > 0) else {
                retained += more
                continue
            }
            reach = min(reach, entry.distance)
            entries.removeLast(entries.count - index)
            break
        }
        points = retained
    }
}
