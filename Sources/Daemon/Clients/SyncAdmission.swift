import Glibc
import Manifests
import Platform

/// Decides whether a process is a `waymark-sync`, and for whom: it reports pushes for the apps whose records it has, and gets the
/// key of its copy.
///
/// The service of the machine is identified by its unit, into which only root or the machine's service manager can put a process.
/// A person's is the program itself, run by the person, which the person cannot change; see `AgentAdmission`, whose other rules
/// apply as well. Neither may be an app by any manifest.
struct SyncAdmission {
    /// The unit of the machine's `waymark-sync`.
    static let unit = "waymark-sync.service"
    /// Its user.
    static let user = "waymark-sync"

    /// The paths of the `waymark-sync` that belongs to the daemon.
    static let ownPrograms = ProgramFolder.paths(of: "waymark-sync")

    /// The paths of `waymark-sync`.
    let programs: Set<String>
    /// The name of a user, needed only where the kernel does not bind processes to connections.
    let userName: (uid_t) -> String?

    /// Why a process is no `waymark-sync`.
    struct Objection: Error, Equatable {
        /// A sentence.
        let message: String
    }

    /// For whom a process is a `waymark-sync`.
    /// - Parameters:
    ///   - evidence: Nil if the process has ended.
    ///   - match: Its app.
    ///   - rest: What else speaks against it, a sentence: the rules for agents.
    func scope(
        of evidence: PeerEvidence?, match: Catalogue.Match, rest: () -> String?
    ) -> Result<WakeScope, Objection> {
        guard let evidence else { return .failure(Objection(message: "This process has ended.")) }
        switch match {
        case .unidentified: break
        case .app(let id, let key):
            return .failure(
                Objection(
                    message: "This program is part of the app \(id), by \(key.rawValue)=, and no app is waymark-sync."))
        case .ambiguous(let ids, let key):
            return .failure(
                Objection(
                    message: "This program is part of one of the apps \(ids.joined(separator: ", ")), by"
                        + " \(key.rawValue)=, and no app is waymark-sync."))
        }
        guard !evidence.isFlatpak else {
            return .failure(Objection(message: "This program is part of a Flatpak app, and no app is waymark-sync."))
        }
        if case .file(let path) = evidence.program, !programs.contains(path) {
            return .failure(Objection(message: "\(path) is not waymark-sync."))
        }
        if evidence.systemUnit == Self.unit {
            // The process could be another one, which has the number of one that ended, but its user is certain.
            guard !evidence.isRacy || evidence.userID == 0 || userName(evidence.userID) == Self.user else {
                return .failure(
                    Objection(
                        message:
                            "This kernel does not show for certain which process has connected, and its user is not"
                            + " \(Self.user)."))
            }
            return .success(.machine)
        }
        if let objection = rest() { return .failure(Objection(message: objection)) }
        return .success(.user(evidence.userID))
    }
}
