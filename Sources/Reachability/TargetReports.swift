import Location

/// What those who tried to reach hosts have reported since the path last changed, for each user apart.
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
    /// For so many users; reports of further ones are dropped until the path changes.
    public static let maximumUsers = 256

    /// How many summaries were forgotten or never kept because there were too many.
    public private(set) var dropped = 0
    private var users: [UInt32: [(key: TargetKey, summary: Summary)]] = [:]

    /// No reports.
    public init() {}

    /// What was reported about a host.
    public func summary(of key: TargetKey) -> Summary {
        users[key.uid]?.first { $0.key == key }?.summary ?? Summary()
    }

    /// Somebody has tried.
    public mutating func take(_ outcome: ReportedOutcome, for key: TargetKey) {
        guard users[key.uid] != nil || users.count < Self.maximumUsers else {
            dropped += 1
            return
        }
        var hosts = users[key.uid] ?? []
        let index = hosts.firstIndex { $0.key == key }
        var summary = index.map { hosts[$0].summary } ?? Summary()
        switch outcome {
        case .answered: summary = Summary()
        case .failed: summary.failures += summary.failures < Int(Int32.max) ? 1 : 0
        case .captive: summary.finding = .captive
        case .limited: summary.finding = .limited
        }
        if let index {
            hosts[index].summary = summary
        } else if summary != Summary() {
            if hosts.count == Self.maximumHosts {
                hosts.removeFirst()
                dropped += 1
            }
            hosts.append((key, summary))
        }
        users[key.uid] = hosts
    }

    /// The path has changed: what was found on the old one means nothing.
    public mutating func pathChanged() {
        users = [:]
    }
}
