import Location

/// A region in memory: where it is, what is known about it, and what the next fix may decide.
public struct MonitoredRegion: Equatable, Sendable {
    /// The region's number.
    public let number: Int64
    /// Where it is.
    public let region: Region
    /// Seconds that a stay has to last until `entered` is reported; 0 for at once.
    public let dwell: Double
    /// Seconds of a stay after which `loitered` is reported; nil for never.
    public let loitering: Double?
    /// What has been decided.
    public internal(set) var state: RegionState

    /// The first of the successive fixes that are on the other side than the state.
    var evidence: UTCTime?
    /// The first of the successive fixes that are certainly on the other side.
    var certainty: UTCTime?
    /// The first of the successive fixes that did not decide.
    var undecidedSince: UTCTime?
    /// When the border was crossed, where a fix is on the other side but the change is not decided.
    var crossed: UTCTime?
    /// The present stay in the region; nil outside.
    var stay: Stay?

    /// A stay in the region.
    struct Stay: Equatable, Sendable {
        /// The fix that decided that it began.
        var since: UTCTime
        /// When the border was crossed.
        var crossed: UTCTime?
        /// Whether `entered`, or `determined`, was reported.
        var isReported: Bool
        /// Whether `loitered` was reported.
        var hasLoitered = false
    }

    /// A region with its last known state. A state from before a restart has no stay: its dwell time is over.
    public init(
        number: Int64, region: Region, dwell: Double = 0, loitering: Double? = nil,
        state: RegionState = .unknown(.undetermined)
    ) {
        self.number = number
        self.region = region
        self.dwell = dwell
        self.loitering = loitering
        self.state = state
    }

    /// The region after a later decision than the one that it was made with, which has no stay either.
    public func decided(_ state: RegionState) -> MonitoredRegion {
        MonitoredRegion(number: number, region: region, dwell: dwell, loitering: loitering, state: state)
    }

    /// Whether the next fix may change something although the machine is far from the border.
    var isRestless: Bool {
        if evidence != nil || undecidedSince != nil { return true }
        if case .unknown = state { return true }
        return false
    }

    /// The time from which a fix reports a stay that lasted long enough; nil without one.
    var deadline: UTCTime? {
        guard let stay else { return nil }
        if !stay.isReported { return stay.since.adding(seconds: dwell) }
        guard !stay.hasLoitered, let loitering else { return nil }
        return stay.since.adding(seconds: loitering)
    }
}

extension UTCTime {
    func adding(seconds: Double) -> UTCTime {
        UTCTime(microseconds: microseconds + Int64(max(0, min(seconds, 4e9)) * 1_000_000))
    }
}
