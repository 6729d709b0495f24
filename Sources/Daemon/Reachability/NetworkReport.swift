import Authorization
import Interfaces
import Journal
import NetworkPaths
import Varlink

// The network in status and journal.

extension ReachabilityService {
    /// The network's part of the daemon's status.
    var status: DaemonStatus.Network {
        let (path, figures) = (watch.path, watch.figures)
        return DaemonStatus.Network(
            status: path?.status, reason: path?.reason?.rawValue, interfaces: path?.interfaces.map(\.name) ?? [],
            supportsIPv4: path?.supportsIPv4 ?? false, supportsIPv6: path?.supportsIPv6 ?? false,
            supportsDNS: path?.supportsDNS ?? false, generation: path?.generation ?? 0, monitors: Int64(monitorCount),
            targets: Int64(hosts.count), evaluations: Int64(clamping: figures.evaluations),
            messages: Int64(figures.messages), overruns: Int64(figures.overruns),
            droppedReports: Int64(figures.droppedReports),
            lookups: VarlinkMap(
                NetworkWatch.LookupOutcome.allCases.map {
                    VarlinkMap.Entry($0.rawValue, Int64(watch.lookups[$0, default: 0]))
                }), problem: watch.problem ?? watch.nameProblem)
    }
}

extension Event {
    /// The event of a changed path to the internet.
    init(_ path: NetworkPath) {
        self.init(.networkChanged, details: ["status": .text(path.status.rawValue)])
        if let reason = path.reason { details.append("reason", .text(reason.rawValue)) }
        details.append("interfaces", .text(path.interfaces.map(\.name).joined(separator: " ")))
        details.append("generation", .integer(path.generation))
    }

    /// The event of a changed status of a host that an app watches.
    init(_ target: TargetReachability, app: AppID) {
        self.init(.targetChanged, app: app.name, uid: app.uid, details: ["host": .text(target.host)])
        if let port = target.port { details.append("port", .integer(Int64(port))) }
        details.append("status", .text(target.status.rawValue))
        if let reason = target.reason { details.append("reason", .text(reason.rawValue)) }
    }
}
