import Glibc

/// The result of a look-up of a user id in the user database.
public enum AccountAnswer: Equatable, Sendable {
    /// An account with this name has the id. `isLocal`: the entry is in the machine's own `/etc/passwd`.
    case present(name: String, isLocal: Bool)
    /// No account has the id, according to sources that were all able to answer.
    case absent
    /// Unknown: a source failed, did not respond, or may have been unavailable. The text is the reason, for a person.
    case unknown(String)
}

/// The user database of the machine: passwd(5) and the other name services.
public enum UserDatabase {
    /// Looks up a user id. Blocks while directory servers respond. getpwuid_r(3).
    ///
    /// The call has three results. Only a status of 0 without an entry means that there is no such account: for an
    /// unavailable source, glibc returns its `errno`, which may also be ENOENT or ESRCH. And status 0 is the result of
    /// the last source of nsswitch.conf(5) only. So it counts only if no other source can have been unavailable.
    public static func account(_ uid: uid_t, sources: NameSources = NameSources()) -> AccountAnswer {
        var buffer = [CChar](repeating: 0, count: 4_096)
        while true {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let status = getpwuid_r(uid, &entry, &buffer, buffer.count, &found)
            switch status {
            case 0:
                if found != nil, let name = entry.pw_name {
                    return .present(name: String(cString: name), isLocal: false)
                }
                if let remote = sources.unreliable { return .unknown("\(remote) may not have been asked") }
                return .absent
            case EINTR: continue
            case ERANGE where buffer.count < 1 << 20: buffer = [CChar](repeating: 0, count: buffer.count * 4)
            default: return .unknown(SystemError.text(status))
            }
        }
    }

    /// Whether the groups of a user, as at a login, contain a group; nil if the database cannot be queried, false
    /// without an account. Blocks while directory servers respond. getpwuid_r(3), getgrouplist(3).
    public static func isMember(_ uid: uid_t, of group: gid_t) -> Bool? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        while true {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let status = getpwuid_r(uid, &entry, &buffer, buffer.count, &found)
            switch status {
            case 0:
                guard found != nil, let name = entry.pw_name else { return false }
                var count: Int32 = 0
                // With no room it returns -1, and the number of groups in `count`.
                _ = getgrouplist(name, entry.pw_gid, nil, &count)
                var groups = [gid_t](repeating: 0, count: Int(max(count, 1)) + 16)
                count = Int32(groups.count)
                guard getgrouplist(name, entry.pw_gid, &groups, &count) >= 0 else { return nil }
                return groups.prefix(Int(count)).contains(group)
            case EINTR: continue
            case ERANGE where buffer.count < 1 << 20: buffer = [CChar](repeating: 0, count: buffer.count * 4)
            default: return nil
            }
        }
    }
}

/// The sources of users in their order: the line `passwd` of nsswitch.conf(5).
public struct NameSources: Equatable, Sendable {
    /// The names of the sources, without the actions in brackets.
    public var names: [String]

    /// The sources of this machine. If the file does not exist, glibc's default: files.
    public init(path: String = "/etc/nsswitch.conf") {
        let text: String
        do throws(SystemError) {
            text = String(decoding: try BoundedFile.bytes(of: path, limit: 65_536), as: UTF8.self)
        } catch {
            // An unreadable file makes the sources unknown, so they count as unreliable.
            text = error.code == ENOENT ? "" : "passwd: unknown unknown"
        }
        self.init(text: text)
    }

    /// The sources in the text of such a file.
    public init(text: String) {
        names = ["files"]
        for line in text.split(separator: "\n") {
            let line = line.prefix { $0 != "#" }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].allSatisfy({ $0 != "[" }),
                parts[0].split(whereSeparator: \.isWhitespace) == ["passwd"]
            else { continue }
            var names: [String] = []
            var isAction = false
            for word in parts[1].split(whereSeparator: \.isWhitespace) {
                if word.hasPrefix("[") { isAction = true }
                if !isAction { names.append(String(word)) }
                if word.hasSuffix("]") { isAction = false }
            }
            self.names = names
        }
    }

    /// Sources on the machine itself, which are always available.
    private static let local: Set = ["altfiles", "compat", "db", "files", "systemd"]

    /// Whether all sources are on the machine itself.
    public var areLocal: Bool { names.allSatisfy(Self.local.contains) }

    /// A source that may have been unavailable without an effect on the result: one outside the machine that is
    /// followed by another source, whose result is returned. Nil if there is none.
    public var unreliable: String? { names.dropLast().first { !Self.local.contains($0) } }
}
