import NetworkPaths

/// What those who tried to reach hosts have reported since the path last changed, for each user apart, however they have
/// written the host.
public struct TargetReports: Sendable {
    /// What was reported about a host.
    public struct Summary: Equatable, Sendable {
        /// How many failed since one was answered.
        public var failures = 0
        /// What was found beyond that.
        public var finding: TargetReachability.Finding?

        /// Nothing.
        public init() {}

        /// Whether so many failed that a success would be a surprise.
        public var isSuspect: Bool { failures >= TargetReports.patience }
    }

    /// So many failures in a row make a host suspect.
    public static let patience = 3
    /// So many hosts are remembered for a user; the one that was reported on first is forgotten.
    public static let maximumHosts = 64
    /// For so many users; the one for whom something is remembered longest is forgotten.
    public static let maximumUsers = 256

    /// How many summaries were forgotten because there were too many.
    public private(set) var dropped = 0
    /// Those who have reported something that is remembered.
    private var users: [UInt32: [(key: TargetKey, summary: Summary)]] = [:]
    /// The same in the order in which they have begun to.
    private var order: [UInt32] = []

    /// No reports.
    public init() {}

    /// What was reported about a host.
    public func summary(of key: TargetKey) -> Summary {
        users[key.uid]?.first { $0.key.isSameHost(as: key) }?.summary ?? Summary()
    }

    /// Somebody has tried.
    public mutating func append(_ outcome: ReportedOutcome, for key: TargetKey) {
        var hosts = users[key.uid] ?? []
        let index = hosts.firstIndex { $0.key.isSameHost(as: key) }
        var summary = index.map { hosts[$0].summary } ?? Summary()
        switch outcome {
        case .answered: summary = Summary()
        case .failed: summary.failures += summary.failures < Int(Int32.max) ? 1 : 0
        case .captive: summary.finding = .captive
        case .limited: summary.finding = .limited
        }
        let isNothing = summary == Summary()
        if let index {
            if isNothing { hosts.remove(at: index) } else { hosts[index].summary = summary }
        } else if !isNothing {
            if hosts.count == Self.maximumHosts {
                hosts.removeFirst()
                dropped += 1
            }
            hosts.append((key, summary))
        }
        keep(hosts, for: key.uid)
    }

    /// The path has changed: what was found on the old one means nothing.
    public mutating func pathChanged() {
        users = [:]
        order = []
    }

    private mutating func keep(_ hosts: [(key: TargetKey, summary: Summary)], for uid: UInt32) {
        let before = users[uid]
        users[uid] = hosts.isEmpty ? nil : hosts
        if before != nil {
            if hosts.isEmpty { order.removeAll { $0 == uid } }
        } else if !hosts.isEmpty {
            order.append(uid)
            if order.count > Self.maximumUsers { dropped += users.removeValue(forKey: order.removeFirst())?.count ?? 0 }
        }
    }
}
