import Authorization
import Interfaces
import Journal
import NetworkPaths

// What status and journal tell of the network.

extension ReachabilityService {
    /// How the network stands.
    var status: DaemonStatus.Network {
        var status = DaemonStatus.Network()
        if let path = watch.path {
            status.status = path.status
            status.reason = path.reason?.rawValue
            status.interfaces = path.interfaces.map(\.name)
            status.supportsIPv4 = path.supportsIPv4
            status.supportsIPv6 = path.supportsIPv6
            status.supportsDNS = path.supportsDNS
            status.generation = path.generation
        }
        let figures = watch.figures
        status.evaluations = Int(clamping: figures.evaluations)
        status.messages = figures.messages
        status.overruns = figures.overruns
        status.droppedReports = figures.droppedReports
        status.lookups = NetworkWatch.LookupOutcome.allCases.map {
            DaemonStatus.Count($0.rawValue, watch.lookups[$0, default: 0])
        }
        status.monitors = monitorCount
        status.targets = hosts.count
        status.problem = watch.problem ?? watch.nameProblem
        return status
    }
}

extension Event {
    /// The way to the rest of the world has changed.
    init(_ path: NetworkPath) {
        self.init(.networkChanged, details: ["status": .text(path.status.rawValue)])
        if let reason = path.reason { details.append("reason", .text(reason.rawValue)) }
        details.append("interfaces", .text(path.interfaces.map(\.name).joined(separator: " ")))
        details.append("generation", .integer(path.generation))
    }

    /// A host that an app watches has another status.
    init(_ target: TargetReachability, app: AppID) {
        self.init(.targetChanged, app: app.name, uid: app.uid, details: ["host": .text(target.host)])
        if let port = target.port { details.append("port", .integer(Int64(port))) }
        details.append("status", .text(target.status.rawValue))
        if let reason = target.reason { details.append("reason", .text(reason.rawValue)) }
    }
}
