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
    /// An account of the database.
    public struct Entry: Equatable, Sendable {
        /// The name.
        public let name: String
        /// The user id.
        public let uid: uid_t
        /// The id of the user's own group.
        public let group: gid_t
        /// The home, as the database has it.
        public let home: String
    }

    /// What an account is looked up by.
    public enum Key: Equatable, Sendable {
        /// Its user id.
        case uid(uid_t)
        /// Its name.
        case name(String)
    }

    /// Looks up an account; nil if the sources that have answered have none. Blocks while directory servers respond.
    /// getpwuid_r(3), getpwnam_r(3).
    ///
    /// - Throws: What glibc returns if a source is not available: its `errno`, which may also be ENOENT or ESRCH.
    public static func entry(_ key: Key) throws(SystemError) -> Entry? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        while true {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let status =
                switch key {
                case .uid(let uid): getpwuid_r(uid, &entry, &buffer, buffer.count, &found)
                case .name(let name): getpwnam_r(name, &entry, &buffer, buffer.count, &found)
                }
            switch status {
            case 0:
                guard found != nil, let name = entry.pw_name else { return nil }
                return Entry(
                    name: String(cString: name), uid: entry.pw_uid, group: entry.pw_gid,
                    home: entry.pw_dir.map { String(cString: $0) } ?? "")
            case EINTR: continue
            case ERANGE where buffer.count < 1 << 20: buffer = [CChar](repeating: 0, count: buffer.count * 4)
            default:
                let subject =
                    switch key {
                    case .uid(let uid): String(uid)
                    case .name(let name): name
                    }
                throw SystemError("look up the user", code: status, subject: subject)
            }
        }
    }

    /// Looks up whether a user id belongs to an account. Blocks while directory servers respond.
    ///
    /// `entry` has three results. Only one without an entry and without an error means that there is no such account, and
    /// it is the result of the last source of nsswitch.conf(5) only. So it counts only if no other source can have been
    /// unavailable.
    public static func account(_ uid: uid_t, sources: NameSources = NameSources()) -> AccountAnswer {
        do throws(SystemError) {
            if let entry = try entry(.uid(uid)) { return .present(name: entry.name, isLocal: false) }
            if let remote = sources.unreliable { return .unknown("\(remote) may not have been asked") }
            return .absent
        } catch {
            return .unknown(SystemError.text(error.code))
        }
    }

    /// Whether the groups of a user, as at a login, contain a group; nil if the database cannot be queried, false
    /// without an account. Blocks while directory servers respond. getgrouplist(3).
    public static func isMember(_ uid: uid_t, of group: gid_t) -> Bool? {
        do throws(SystemError) {
            guard let entry = try entry(.uid(uid)) else { return false }
            return groups(of: entry.name, besides: entry.group)?.contains(group)
        } catch {
            return nil
        }
    }

    /// The groups of a user, as at a login, with the user's own group; nil where the database cannot be queried. Blocks while
    /// directory servers respond. getgrouplist(3).
    public static func groups(of name: String, besides own: gid_t) -> [gid_t]? {
        var count: Int32 = 64
        while count <= 65_536 {
            var groups = [gid_t](repeating: 0, count: Int(count))
            var found = count
            if getgrouplist(name, own, &groups, &found) >= 0 { return Array(groups.prefix(Int(found))) }
            count = max(found, count * 2)
        }
        return nil
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
