import RegionStorage

extension RegionLimits {
    /// The limits of stored regions. `Documentation/regions.md` lists them.
    static let daemon = RegionLimits(
        monitors: 64, regionsOfMonitor: 1_000_000, regionsOfOwner: 1_000_000, regionsOfUser: 2_000_000)
}

/// The limits of calls and of memory. `Documentation/regions.md` lists those that a client can meet.
enum RegionQuotas {
    /// The regions in one call.
    static let regionsOfCall = 1_000
    /// The regions in a reply if the caller names no limit.
    static let usualRegionsOfReply: Int64 = 200
    /// The points after which no further region is added to a reply, whose message is bounded.
    static let pointsOfReply = 2_000
    /// The events that are read at once for a stream.
    static let eventsAtOnce = 64
    /// The decided events of an owner that wait while the disk stores none. Of more the oldest are dropped.
    static let unsavedEvents = 10_000
    /// The points in memory of the regions of all owners together.
    static let pointsInMemory = 1_000_000
}
