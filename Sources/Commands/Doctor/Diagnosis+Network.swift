import Interfaces

/// Findings about the network: relevant for uploads, and no reason for a missing position.
extension Diagnosis {
    var network: [Finding] {
        guard let network = status?.network else { return [] }
        if let problem = network.problem {
            return [
                Finding(
                    severity: .note, subject: "Network", text: "not all is known of it: \(problem).",
                    advice: "Positions come all the same. See what the daemon logged: journalctl -u waymark.")
            ]
        }
        guard let status = network.status, status != .satisfied else { return [] }
        return [
            Finding(
                severity: .note, subject: "Network", text: "\(NetworkStatusText(network: network).state).",
                advice: "Positions come all the same. What to do about it: waymark path.")
        ]
    }
}
