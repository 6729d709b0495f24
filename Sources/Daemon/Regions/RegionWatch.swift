import Authorization
import Platform
import RegionStorage

/// The monitors of one app or operator, and their evaluation while this is permitted.
@DaemonActor
final class RegionWatch {
    /// The erasure of what is known about the regions, after a loss of the authorization.
    enum Erasure {
        case none
        /// The store was requested to do it. It may fail: until it is done, nothing is monitored and nothing disclosed.
        case inProgress
        /// It has failed, and is tried again. Until then the same holds.
        case failed
        /// It is done, and nothing was monitored since.
        case done
    }

    let owner: RegionOwner
    /// The monitors by their names, as the store last reported them.
    var monitors: [String: StoredMonitor] = [:]
    /// The evaluation; nil while it is not permitted, or no regions exist.
    var track: RegionTrack?
    /// Incremented with each evaluation that begins: a pass for an earlier one is ignored.
    var evaluation = 0
    /// Why regions are not monitored; nil if they are.
    var refusal: RegionDecision.Refusal?
    /// The feed of the receiver that was requested.
    var feed = PositionFeed.none
    /// Whether the person was prompted since Always was found unconfirmed.
    var hasAsked = false
    var erasure = Erasure.none
    /// Why what is known is erased.
    var loss: RegionDecision.Refusal?
    /// Decided events that are not handed to the store yet, because it stores earlier ones, or could not.
    var unsaved: [RegionTrack.Decided] = []
    /// The events that the store is storing.
    var saving: [RegionTrack.Decided] = []
    /// Monitors that are being made, with the number of calls.
    var beginning: [String: Int] = [:]

    init(_ owner: RegionOwner) {
        self.owner = owner
    }

    /// The number of regions.
    var regionCount: Int { monitors.values.reduce(0) { $0 + $1.regions } }

    /// The number of events that are not acknowledged.
    var pendingCount: Int { monitors.values.reduce(0) { $0 + $1.pending } }

    /// Whether regions are evaluated at present.
    var isMonitoring: Bool { track != nil }

    /// Whether stored states and events may be read: those of before a loss of the authorization may not.
    var isReadable: Bool { erasure == .none || erasure == .done }
}
