import Interfaces
import NetworkPaths

/// The network's part of the daemon's status, for a person.
struct NetworkStatusText {
    let network: DaemonStatus.Network

    /// The state of the network, the cost of observing it, and its problem.
    var lines: [String] {
        var lines = [state]
        if network.monitors > 0 || network.targets > 0 {
            lines.append(
                "\(Measure.count(network.monitors, "stream")), \(Measure.count(network.targets, "host")) watched")
        }
        lines.append(asked)
        if let lookups { lines.append(lookups) }
        if let problem = network.problem { lines.append(problem) }
        return lines
    }

    /// The state of the network, in half a line.
    var state: String {
        switch network.status {
        case .satisfied?:
            var parts = network.interfaces.isEmpty ? [] : ["through \(network.interfaces.joined(separator: ", "))"]
            if network.supportsIPv4 { parts.append("IPv4") }
            if network.supportsIPv6 { parts.append("IPv6") }
            parts.append(network.supportsDNS ? "names" : "no name server")
            return "satisfied: \(parts.joined(separator: "; "))"
        case .requiresConnection?: return "requires connection\(because)"
        case .unsatisfied?: return "unsatisfied\(because)"
        case nil: return "not known"
        }
    }

    private var because: String {
        guard let word = network.reason else { return "" }
        return ": " + (UnreachableReason(rawValue: word).map { ReasonText(reason: $0).clause } ?? word)
    }

    private var asked: String {
        var text = Measure.count(network.generation, "change")
        text += ", \(Measure.count(network.messages, "message")) of the kernel"
        text += ", queried \(Measure.count(network.evaluations, "time"))"
        return network.overruns > 0 ? text + ", \(Measure.count(network.overruns, "overrun"))" : text
    }

    private var lookups: String? {
        let total = network.lookups.reduce(0) { $0 + $1.value }
        guard total > 0 else { return nil }
        let failures: [String] = network.lookups.compactMap { lookup in
            guard lookup.value > 0 else { return nil }
            switch lookup.name {
            case "found": return nil
            case "notFound": return "\(Measure.grouped(lookup.value)) not found"
            case "notAnswering": return "\(Measure.grouped(lookup.value)) without a reply"
            case "refused": return "\(Measure.grouped(lookup.value)) refused"
            default: return "\(Measure.grouped(lookup.value)) \(lookup.name)"
            }
        }
        return (["\(Measure.count(total, "name")) resolved"] + failures).joined(separator: ", ")
    }
}
