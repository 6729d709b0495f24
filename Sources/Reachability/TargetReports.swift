import NetworkPaths

/// The outcomes that clients have reported since the path last changed, separately for each user. Different spellings
/// of one host are the same host.
public struct TargetReports: Sendable {
    /// The reported outcomes of one host.
    public struct Summary: Equatable, Sendable {
        /// The number of failures since the last success.
        public var failures = 0
        /// A further finding, such as a captive portal.
        public var finding: TargetReachability.Finding?

        /// Nothing.
        public init() {}

        /// Whether there were so many failures that a success would be a surprise.
        public var isSuspect: Bool { failures >= TargetReports.patience }
    }

    /// The number of failures in a row that make a host suspect.
    public static let patience = 3
    /// The number of hosts remembered for one user. The host with the oldest first report is dropped.
    public static let maximumHosts = 64
    /// The number of users. The user with the oldest first report is dropped.
    public static let maximumUsers = 256

    /// The number of summaries that were dropped because there were too many.
    public private(set) var dropped = 0
    /// The remembered reports by user.
    private var users: [UInt32: [(key: TargetKey, summary: Summary)]] = [:]
    /// The users in the order of their first report.
    private var order: [UInt32] = []

    /// No reports.
    public init() {}

    /// The reported outcomes of a host.
    public func summary(of key: TargetKey) -> Summary {
        users[key.uid]?.first { $0.key.isSameHost(as: key) }?.summary ?? Summary()
    }

    /// Records the outcome of an attempt to reach a host.
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

    /// The path has changed: outcomes on the old path are meaningless.
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
