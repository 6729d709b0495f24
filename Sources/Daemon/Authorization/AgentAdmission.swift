import Glibc
import Manifests
import Platform

/// Decides whether a process may be an agent: its program is named in the configuration, cannot be changed by its user,
/// and is no app.
struct AgentAdmission {
    /// The paths of the permitted programs.
    let programs: Set<String>
    /// The daemon's own user, who is permitted to change the programs, because that user could change the daemon as
    /// well.
    var ownUser = geteuid()

    /// Why a process may not be an agent, as a sentence; nil if it may.
    ///
    /// `evidence` is nil if the process has ended. `match` is its app.
    func objection(to evidence: PeerEvidence?, match: Catalogue.Match, belongs: (gid_t) -> Bool) -> String? {
        guard let evidence else { return "This process has ended." }
        guard !evidence.isFlatpak else {
            return "This program is part of a Flatpak app, and no app may answer for itself."
        }
        switch match {
        case .unidentified: break
        case .app(let id, let key):
            return "This program is part of the app \(id), by \(key.rawValue)=, and no app may answer for itself."
        case .ambiguous(let ids, let key):
            return "This program is part of one of the apps \(ids.joined(separator: ", ")), by \(key.rawValue)=, and no"
                + " app may answer for itself."
        }
        guard case .file(let path) = evidence.program else {
            guard case .unknown(let why) = evidence.program else { return nil }
            return "It is not known which program this is: it \(why)."
        }
        guard programs.contains(path) else {
            return "\(path) is no agent. [Authorization] Agents= names the programs that are."
        }
        guard evidence.userID != 0, evidence.userID != ownUser else { return nil }
        let objection =
            ProgramGuard.objection(to: path, user: evidence.userID, belongs: belongs)
            ?? ProgramGuard.groupObjection(to: path, belongs: belongs)
        return objection.map { "\(path) \($0), and so cannot be an agent." }
    }
}
