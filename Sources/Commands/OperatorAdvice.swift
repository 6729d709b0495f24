import Configuration
import Glibc
import Interfaces
import Platform

/// Advice for a person who was refused on how to become an operator, from the facts about the user and the operators'
/// group.
struct OperatorAdvice: Equatable {
    /// The user's name, or number without one.
    var user: String
    /// Whether the user is root, whom the daemon refuses only as an app.
    var isRoot = false
    /// The operators' group, as the configuration names it.
    var group: String
    /// The group's number; nil where there is no such group.
    var groupID: gid_t?
    /// The groups of this process.
    var processGroups: [gid_t] = []
    /// The groups that the user database has for the user: those of the next login.
    var accountGroups: [gid_t] = []
    /// Whether `adduser USER GROUP` is this system's command for it, as on Debian; elsewhere it is usermod(8).
    var hasDebianAdduser = false

    /// The advice; nil for an operator, who was refused for another reason.
    var sentence: String? {
        if isRoot { return nil }
        guard let groupID else {
            return
                "Operators are the members of the group \(group), which does not exist on this machine: create it with"
                + " `sudo groupadd --system \(group)`, restart the daemon, and add yourself with `\(addition)`. Until then,"
                + " run this with sudo."
        }
        if processGroups.contains(groupID) { return nil }
        if accountGroups.contains(groupID) {
            return
                "\(user) is a member of the group \(group), whose members are operators, but not yet in this login: log"
                + " out and in again, or begin a shell with `newgrp \(group)`."
        }
        return
            "Make \(user) an operator with `\(addition)`, which takes effect at the next login; until then, run this"
            + " with sudo."
    }

    private var addition: String {
        hasDebianAdduser ? "sudo adduser \(user) \(group)" : "sudo usermod --append --groups \(group) \(user)"
    }

    /// A refusal of the daemon with the next step: how its user becomes an operator, or how an app gets its manifest.
    func explained(_ refusal: ErrorName, _ message: String) -> String {
        guard let sentence else { return message }
        // A person who views positions has no app in mind, and needs the advice for persons first.
        guard refusal == .manifestMissing else { return "\(message) \(sentence)" }
        return
            "Positions are for operators, and for apps with a manifest. \(sentence) How an app of yours gets a"
            + " manifest: `waymark manifest --help`."
    }
}

extension OperatorAdvice {
    /// The facts about the user of this process, from the user database and the machine's configuration.
    static var ofThisProcess: OperatorAdvice {
        let uid = geteuid()
        let group = Configuration.load().settings.authorization.operatorGroup
        let user = UserName.text(Int64(uid))
        return OperatorAdvice(
            user: user, isRoot: uid == 0, group: group, groupID: number(of: group),
            processGroups: ownGroups + [getegid()],
            accountGroups: UserDatabase.groups(of: user, besides: getegid()) ?? [getegid()],
            hasDebianAdduser: access("/etc/debian_version", F_OK) == 0 && access("/usr/sbin/adduser", X_OK) == 0)
    }

    private static func number(of group: String) -> gid_t? {
        // Where the database cannot be queried, the group may exist, and its members are unknown.
        do throws(SystemError) { return try PeerIdentity.groupID(named: group) } catch { return gid_t.max }
    }

    private static var ownGroups: [gid_t] {
        let count = getgroups(0, nil)
        guard count > 0 else { return [] }
        var groups = [gid_t](repeating: 0, count: Int(count))
        let found = getgroups(count, &groups)
        return found > 0 ? Array(groups.prefix(Int(found))) : []
    }
}
