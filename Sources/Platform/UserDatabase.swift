import Glibc

/// What the user database says of a user id.
public enum AccountAnswer: Equatable, Sendable {
    /// An account of this name has it; whether the machine's own `/etc/passwd` says so.
    case present(name: String, isLocal: Bool)
    /// No account has it, as every source that was asked could answer.
    case absent
    /// Nobody knows: a source failed, did not answer, or may have been unavailable. For a person: why.
    case unknown(String)
}

/// The users of the machine, as passwd(5) and the name services beside it have them.
public enum UserDatabase {
    /// What the database says of a user id. Waits for directory servers. getpwuid_r(3).
    ///
    /// The call has three results and not two. Only a status of 0 without an entry means that there is no such account: glibc
    /// returns the `errno` of a source that was unavailable otherwise, which may be ENOENT or ESRCH too. And status 0 says only
    /// what the last source of nsswitch.conf(5) answered, so it counts where no other source can have been unavailable.
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
}

/// Where users are looked up, in order: the line `passwd` of nsswitch.conf(5).
public struct NameSources: Equatable, Sendable {
    /// The sources, without the actions in brackets.
    public var names: [String]

    /// The sources of this machine; where the file cannot be read, as glibc has it then: the files.
    public init(path: String = "/etc/nsswitch.conf") {
        let text: String
        do throws(SystemError) {
            text = String(decoding: try BoundedFile.bytes(of: path, limit: 65_536), as: UTF8.self)
        } catch {
            // Not known, and so not to be relied on.
            text = error.code == ENOENT ? "" : "passwd: unknown unknown"
        }
        self.init(text: text)
    }

    /// The sources that the text of such a file names.
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

    /// Sources that are on the machine itself: they answer always.
    private static let local: Set = ["altfiles", "compat", "db", "files", "systemd"]

    /// Whether all sources are on the machine itself.
    public var areLocal: Bool { names.allSatisfy(Self.local.contains) }

    /// A source that may have been unavailable without that being seen in the result: one beyond the machine that another
    /// source follows. The result is that of the last source. Nil where there is none.
    public var unreliable: String? { names.dropLast().first { !Self.local.contains($0) } }
}
