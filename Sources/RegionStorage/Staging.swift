/// Regions that a program adds to a monitor in several calls and that take effect together, with the call of `Commit`.
///
/// Until then they are rows of a list of their own, which is not the list of the monitor: no fix is compared with them. They have no
/// entries in the index of boxes and in the index of names yet; a `CommitJob` adds these in the order of each index, which takes
/// much less time for many regions than to add them one by one.
struct Staging {
    /// The staged regions of one connection for one monitor.
    struct Key: Hashable {
        /// The number that `RegionService` has chosen for the connection and the monitor; it is not used again.
        var number: UInt64
        var monitor: MonitorKey
    }

    /// The number of the list in which the regions are.
    let list: Int64
    /// How many regions are staged.
    var count = 0
    /// The bytes with which the identifiers of all staged regions begin; nil before the first region. An order by identifiers
    /// compares only what comes after them.
    private(set) var common: [UInt8]?
    /// Whether the regions are being committed. No more can be staged then.
    var isCommitting = false

    init(list: Int64) { self.list = list }

    /// Shortens `common` to what the identifier of a further region has in common with it.
    mutating func note(_ identifier: String) {
        guard let common else {
            common = Array(identifier.utf8)
            return
        }
        let shared = zip(common, identifier.utf8).prefix { $0 == $1 }.count
        if shared < common.count { self.common = Array(common.prefix(shared)) }
    }
}

/// The progress of a commit of staged regions, which is done in steps so that other requests are answered in between.
struct CommitJob {
    /// What the next step does.
    enum Phase {
        /// Collects the places of regions into `order`, from the region with this number on.
        case collectPlaces(from: Int64)
        /// Adds the next regions of `order` to the index of boxes.
        case addBoxes
        /// Collects the identifiers of regions into `order`, from the region with this number on.
        case collectNames(from: Int64)
        /// Adds the next regions of `order` to the index of names.
        case addNames
        /// Moves the regions into the list of the monitor. From then on they are monitored.
        case putInPlace
    }

    /// The regions to be committed.
    let staging: Staging.Key
    let limits: RegionLimits
    var phase = Phase.collectPlaces(from: 0)
    /// The regions in the order of the index to which they are added.
    var order = RowOrder()

    init(_ staging: Staging.Key, _ limits: RegionLimits) { (self.staging, self.limits) = (staging, limits) }
}
