import Glibc
import Manifests
import Platform

/// Who may be an agent: a program that the configuration names, which its user cannot change, and which is no app.
struct AgentAdmission {
    /// The paths of the programs.
    let programs: Set<String>
    /// The daemon's own user, who could change the daemon as well.
    var ownUser = geteuid()

    /// Why a process may not be an agent, a sentence; nil where it may.
    ///
    /// `evidence` is nil where the process has ended, `match` is which app it is.
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
