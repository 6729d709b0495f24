import Interfaces

/// Findings about data protection: what cannot be used, and what protects less than it seems to.
extension Diagnosis {
    var protection: [Finding] {
        guard let status = facts.protection else { return [] }
        if let problem = status.problem {
            return [
                Finding(
                    severity: .problem, subject: "Protection", text: "protected data cannot be used: \(problem).",
                    advice: "waymark protection status")
            ]
        }
        guard !facts.recordings.isEmpty else { return [] }
        switch status.state {
        case .open:
            return [
                Finding(
                    severity: .note, subject: "Protection",
                    text: "no passphrase was set, so whoever has this machine can read what is recorded.",
                    advice: "To protect it: `waymark protection set-passphrase`")
            ]
        case .neverUnlocked, .locked:
            return [
                Finding(
                    severity: .note, subject: "Protection", text: "recorded positions are locked.",
                    advice: "To read or upload them: `waymark unlock`")
            ]
        default:
            guard status.machineSecret == .stateDirectory else { return [] }
            return [
                Finding(
                    severity: .note, subject: "Protection",
                    text: "the machine's secret is beside the data (\(status.machineSecretPath)), so a copied disk is"
                        + " only as safe as the passphrase is long.",
                    advice: "See “The machine's secret” in Documentation/protection.md")
            ]
        }
    }
}
