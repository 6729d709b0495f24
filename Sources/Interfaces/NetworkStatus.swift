import JSONText
import NetworkPaths
import Varlink

extension DaemonStatus {
    /// How the network stands, and what it costs to know it.
    public struct Network: Equatable, Sendable {
        /// Whether this machine could send to the rest of the world; nil where the kernel cannot be asked.
        public var status: NetworkPath.Status?
        /// Why not. Words this version does not know are kept.
        public var reason: String?
        /// The names of the interfaces with a way to the rest of the world, the one that is used first.
        public var interfaces: [String] = []
        /// Whether there is a way with IPv4.
        public var supportsIPv4 = false
        /// Whether there is a way with IPv6.
        public var supportsIPv6 = false
        /// Whether there is a way to a name server.
        public var supportsDNS = false
        /// How often the path has changed since the daemon started.
        public var generation: Int64 = 0
        /// Streams of paths and of targets.
        public var monitors = 0
        /// Hosts that are watched.
        public var targets = 0
        /// How often the kernel was asked everything, since the daemon started.
        public var evaluations = 0
        /// What the kernel has announced since the daemon started.
        public var messages = 0
        /// How often it had more to announce than the socket could hold.
        public var overruns = 0
        /// How many reports of whether a host answers were forgotten, because there were too many.
        public var droppedReports = 0
        /// Names looked up since the daemon started, by outcome: `found`, `notFound`, `notAnswering`, `refused`.
        public var lookups: [Count] = []
        /// What is wrong, for a person: why the kernel or the name servers cannot be asked, or why it is not noticed when
        /// these are others.
        public var problem: String?

        /// Nothing known.
        public init() {}

        init(_ json: JSON) {
            self.init()
            status = json["status"]?.stringValue.flatMap(NetworkPath.Status.init)
            reason = json["reason"]?.stringValue
            interfaces = json["interfaces"]?.arrayValue?.compactMap(\.stringValue) ?? []
            supportsIPv4 = json["supportsIPv4"]?.boolValue ?? false
            supportsIPv6 = json["supportsIPv6"]?.boolValue ?? false
            supportsDNS = json["supportsDNS"]?.boolValue ?? false
            generation = json["generation"]?.integerValue ?? 0
            monitors = json["monitors"]?.integerValue.map(Int.init) ?? 0
            targets = json["targets"]?.integerValue.map(Int.init) ?? 0
            evaluations = json["evaluations"]?.integerValue.map(Int.init) ?? 0
            messages = json["messages"]?.integerValue.map(Int.init) ?? 0
            overruns = json["overruns"]?.integerValue.map(Int.init) ?? 0
            droppedReports = json["droppedReports"]?.integerValue.map(Int.init) ?? 0
            lookups = Count.list(json["lookups"])
            problem = json["problem"]?.stringValue
        }

        func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.member("status", status?.rawValue)
                writer.member("reason", reason)
                writer.member("interfaces", interfaces)
                writer.member("supportsIPv4", supportsIPv4)
                writer.member("supportsIPv6", supportsIPv6)
                writer.member("supportsDNS", supportsDNS)
                writer.member("generation", generation)
                writer.member("monitors", monitors)
                writer.member("targets", targets)
                writer.member("evaluations", evaluations)
                writer.member("messages", messages)
                writer.member("overruns", overruns)
                writer.member("droppedReports", droppedReports)
                Count.write(lookups, as: "lookups", to: &writer)
                writer.member("problem", problem)
            }
        }
    }
}
