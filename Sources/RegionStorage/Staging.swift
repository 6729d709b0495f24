/// Regions that are being collected for a monitor, in a list of their own without names and boxes.
struct Staging {
    /// Which regions: those of one connection for one monitor.
    struct Key: Hashable {
        var number: UInt64
        var monitor: MonitorKey
    }

    let list: Int64
    var count = 0
    /// The bytes with which all identifiers begin.
    private(set) var common: [UInt8]?
    var isCommitting = false

    init(list: Int64) { self.list = list }

    mutating func note(_ identifier: String) {
        guard let common else {
            common = Array(identifier.utf8)
            return
        }
        let shared = zip(common, identifier.utf8).prefix { $0 == $1 }.count
        if shared < common.count { self.common = Array(common.prefix(shared)) }
    }
}

/// The progress of putting the staged regions of a monitor in it.
struct CommitJob {
    enum Phase {
        case collectPlaces(from: Int64)
        case addBoxes
        case collectNames(from: Int64)
        case addNames
        case putInPlace
    }

    let staging: Staging.Key
    let limits: RegionLimits
    var phase = Phase.collectPlaces(from: 0)
    var order = RowOrder()

    init(_ staging: Staging.Key, _ limits: RegionLimits) { (self.staging, self.limits) = (staging, limits) }
}
