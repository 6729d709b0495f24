import Location
import Regions

/// A region that is to be stored.
public struct NewRegion: Equatable, Sendable {
    /// Its name in its monitor. Another region of this name is replaced.
    public var identifier: String
    /// Where it is.
    public var region: Region
    /// Seconds that a stay has to last until `entered` is reported; 0 for at once.
    public var dwell: Double
    /// Seconds of a stay after which `loitered` is reported; nil for never.
    public var loitering: Double?

    /// A region.
    public init(identifier: String, region: Region, dwell: Double = 0, loitering: Double? = nil) {
        self.identifier = identifier
        self.region = region
        self.dwell = dwell
        self.loitering = loitering
    }
}

/// A region as it is stored.
public struct StoredRegion: Equatable, Sendable {
    /// Its number, unique in the store and never used again: a region that replaces another has a new one.
    public let number: Int64
    /// The number of its monitor.
    public let monitor: Int64
    /// Its name in its monitor.
    public let identifier: String
    /// Where it is.
    public let region: Region
    /// Seconds that a stay has to last until `entered` is reported; 0 for at once.
    public let dwell: Double
    /// Seconds of a stay after which `loitered` is reported; nil for never.
    public let loitering: Double?
    /// What was decided last.
    public var state: RegionState
    /// The time of that decision; nil before the first.
    public var since: UTCTime?

    /// A region.
    public init(
        number: Int64, monitor: Int64, identifier: String, region: Region, dwell: Double = 0, loitering: Double? = nil,
        state: RegionState = .unknown(.undetermined), since: UTCTime? = nil
    ) {
        self.number = number
        self.monitor = monitor
        self.identifier = identifier
        self.region = region
        self.dwell = dwell
        self.loitering = loitering
        self.state = state
        self.since = since
    }

    /// The region for a monitor of fixes.
    public var monitored: MonitoredRegion {
        MonitoredRegion(number: number, region: region, dwell: dwell, loitering: loitering, state: state)
    }
}

/// What a fix, or the loss of one, has decided about a region.
public struct RegionChange: Equatable, Sendable {
    /// The number of the region.
    public var number: Int64
    /// What is known now.
    public var state: RegionState
    /// The time of the decision.
    public var since: UTCTime

    /// A change.
    public init(number: Int64, state: RegionState, since: UTCTime) {
        self.number = number
        self.state = state
        self.since = since
    }
}
