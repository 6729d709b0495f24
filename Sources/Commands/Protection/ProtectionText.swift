import Interfaces

/// The lock state and the secrets, for a person.
enum ProtectionText {
    /// All of the status: a sentence about the state, one about the machine's secret, and a line for each secret.
    static func lines(_ status: ProtectionInterface.Report) -> [String] {
        var lines = [sentence(status)]
        if let problem = status.problem { lines.append("Problem: \(problem).") }
        if status.isEnding { lines.append(ending(status)) }
        if status.rowsToSeal > 0, !status.isEnding {
            lines.append(
                "About \(Measure.count(status.rowsToSeal, "position")) are still to be sealed with their class.")
            if let waiting = waiting(status) { lines.append(waiting) }
        }
        lines.append(secret(status))
        if let former = former(status) { lines.append(former) }
        for slot in status.slots { lines.append("Secret \(slot.number): \(kind(slot.kind))") }
        if status.failures > 0 {
            let wait = status.wait > 0 ? ", and the next attempt is accepted in \(Int(status.wait.rounded(.up))) s" : ""
            lines.append("\(Measure.count(status.failures, "wrong secret")) in a row\(wait).")
        }
        return lines
    }

    /// How far the end of protection is, with the next step.
    static func ending(_ status: ProtectionInterface.Report) -> String {
        let rest = status.rowsToSeal > 0 ? " About \(Measure.count(status.rowsToSeal, "position")) remain." : ""
        switch status.state {
        case .unlocked, .locking:
            return (["Protection is being switched off.\(rest)"] + [waiting(status)].compactMap { $0 })
                .joined(separator: " ")
        default: return "Protection is being switched off, which continues after: `waymark unlock`.\(rest)"
        }
    }

    /// What a user with a passphrase set now has, and what follows.
    static func isSet(_ status: ProtectionInterface.Report) -> String {
        (["Recorded positions are protected from now on, and unlocked."] + [waiting(status)].compactMap { $0 })
            .joined(separator: " ")
    }

    /// What a user's rows wait for, with the next step; nil if for nothing.
    private static func waiting(_ status: ProtectionInterface.Report) -> String? {
        guard status.isWaitingForMachine else { return nil }
        let rows =
            status.isEnding
            ? "Those that only the machine's keys may seal then" : "Those that are sealed with the machine's keys"
        return "\(rows) wait until an operator unlocks the machine's data: `waymark unlock`."
    }

    /// That the machine's secret was exchanged, with the next step.
    static func renewed(_ status: ProtectionInterface.Report) -> String {
        (["Everything is sealed with the machine's secret \(status.machineSecretPath)."]
            + [former(status)]
            .compactMap { $0 }).joined(separator: " ")
    }

    /// What to do with the former secret; nil if there is none, or the daemon removes it.
    private static func former(_ status: ProtectionInterface.Report) -> String? {
        guard let path = status.formerSecretPath else { return nil }
        if status.isFormerSecretNeeded { return "The former secret \(path) is still needed: do not remove it." }
        switch status.machineSecret {
        case .stateDirectory: return nil
        case .credential:
            return "The former secret \(path) is not needed any more: remove its file from /etc/credstore.encrypted or"
                + " /etc/credstore."
        default: return "The former secret \(path) is not needed any more: remove it."
        }
    }

    /// Whose positions they are, at the beginning of a sentence.
    private static func positions(_ status: ProtectionInterface.Report) -> String {
        guard let user = status.user else { return "Recorded positions" }
        return "Recorded positions of \(UserName.text(user))"
    }

    /// The state as a sentence, with the next step.
    static func sentence(_ status: ProtectionInterface.Report) -> String {
        switch status.state {
        case .open where status.user != nil:
            "\(UserName.text(status.user ?? 0)) has set no passphrase: what the apps of this user record is under the machine's lock. To change that,"
                + " as this user: `waymark protection set-passphrase`."
        case .open:
            "No passphrase was set: recorded positions can be read by whoever has this machine. To change that:"
                + " `waymark protection set-passphrase`."
        case .neverUnlocked:
            "\(positions(status)) are locked since the daemon started. To unlock them: `waymark unlock`."
        case .locked: "\(positions(status)) are locked. To unlock them: `waymark unlock`."
        case .unlocked: "\(positions(status)) are unlocked. To lock them: `waymark lock`."
        case .locking: "\(positions(status)) will be locked in \(Int((status.lockedIn ?? 0).rounded(.up))) s."
        case .unusable: "Protected data cannot be used."
        default: "The state is \(status.state.rawValue)."
        }
    }

    /// Whether the data is available, as a sentence.
    static func availability(_ isAvailable: Bool, endsIn seconds: Double?) -> String {
        if let seconds, isAvailable { return "Protected data becomes unavailable in \(Int(seconds.rounded(.up))) s." }
        return isAvailable ? "Protected data is available." : "Protected data is unavailable."
    }

    /// The words of a new recovery key, eight in a line.
    static func recovery(_ words: String) -> [String] {
        let words = words.split(separator: " ")
        var lines = [
            "Write these 24 words on paper. They unlock the data, are stored nowhere, and are not shown again:", "",
        ]
        for start in stride(from: 0, to: words.count, by: 8) {
            lines.append("    " + words[start..<min(start + 8, words.count)].joined(separator: " "))
        }
        return lines + ["", "To unlock with them: `waymark unlock --recovery`"]
    }

    private static func kind(_ kind: ProtectionInterface.SlotKind) -> String {
        switch kind {
        case .passphrase: "a passphrase"
        case .recovery: "a recovery key"
        case .credential: "a credential of the service manager"
        default: kind.rawValue
        }
    }

    private static func secret(_ status: ProtectionInterface.Report) -> String {
        let path = status.machineSecretPath
        switch status.machineSecret {
        case .credential: return "The machine's secret is a credential of the service manager (\(path))."
        case .file: return "The machine's secret is the file \(path)."
        case .stateDirectory:
            return
                "The machine's secret is the file \(path), beside the data: whoever copies the state directory has both."
        default: return "The machine's secret is \(path)."
        }
    }
}
