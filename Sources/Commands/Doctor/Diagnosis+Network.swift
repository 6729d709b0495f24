import Interfaces

/// Findings about the network: relevant for uploads, and no reason for a missing position.
extension Diagnosis {
    var network: [Finding] {
        guard let network = status?.network else { return [] }
        if let problem = network.problem {
            return [
                Finding(
                    severity: .note, subject: "Network", text: "its state is incomplete: \(problem).",
                    advice: "Positions are not affected. See the daemon's log: sudo journalctl -u waymark.")
            ]
        }
        guard let status = network.status, status != .satisfied else { return [] }
        return [
            Finding(
                severity: .note, subject: "Network", text: "\(NetworkStatusText(network: network).state).",
                advice: "Positions are not affected. For advice: `waymark path`.")
        ]
    }
}
