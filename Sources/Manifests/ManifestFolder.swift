import Glibc
import Platform

/// A folder of manifests.
public struct ManifestFolder: Hashable, Sendable {
    /// More than any machine has.
    public static let maximumFiles = 20_000
    /// More than any user has.
    public static let maximumPersonalFiles = 1_000

    /// Where it is.
    public let path: String
    /// Whose manifests it has.
    public let owner: FileOwner

    /// A folder of somebody's manifests.
    public init(path: String, owner: FileOwner) {
        self.path = path
        self.owner = owner
    }

    /// The machine's, the first being the packages', the second the administrator's: a later one wins.
    public static let machine = [
        ManifestFolder(path: "/usr/share/waymark/apps", owner: .root),
        ManifestFolder(path: "/etc/waymark/apps", owner: .root),
    ]

    /// A user's own, below the home that the user database has, getpwuid_r(3); nil for a user whom it does not have.
    public static func personal(of uid: uid_t) throws(SystemError) -> ManifestFolder? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        while true {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let status = getpwuid_r(uid, &entry, &buffer, buffer.count, &found)
            switch status {
            case 0:
                guard found != nil, let home = entry.pw_dir.map({ String(cString: $0) }), home.hasPrefix("/") else {
                    return nil
                }
                return ManifestFolder(path: home + "/.config/waymark/apps", owner: .user(uid))
            case EINTR: continue
            case ERANGE where buffer.count < 1 << 20: buffer = [CChar](repeating: 0, count: buffer.count * 4)
            case ENOENT, ESRCH: return nil
            default: throw SystemError("look up the user", code: status, subject: String(uid))
            }
        }
    }

    /// What the folder has.
    struct Contents {
        /// By app id: a manifest, or nil where its file does not count and only hides those of earlier folders.
        var manifests: [String: ManifestFile?] = [:]
        var problems: [FileProblem] = []
    }

    /// Reads every manifest in it. A file that does not count, an empty one too, hides the app's in an earlier folder:
    /// what somebody meant to change there is not to be had as it was.
    func read() -> Contents {
        var contents = Contents()
        let limit = owner == .root ? Self.maximumFiles : Self.maximumPersonalFiles
        do throws(FileProblem) {
            for name in try TrustedFile.names(in: path, suffix: ".app", owner: owner, limit: limit) {
                take("\(path)/\(name)", id: String(name.dropLast(4)), into: &contents)
            }
        } catch {
            contents.problems.append(error)
        }
        return contents
    }

    private func take(_ file: String, id: String, into contents: inout Contents) {
        do throws(FileProblem) {
            guard let bytes = try TrustedFile.bytes(of: file, owner: owner, limit: ManifestReading.maximumBytes) else {
                return
            }
            contents.manifests[id] = .some(nil)
            guard !bytes.isEmpty else { return }
            let reading = ManifestReading(bytes, id: id, path: file, owner: owner)
            contents.problems += reading.problems
            contents.manifests[id] = .some(reading.manifest)
        } catch {
            contents.manifests[id] = .some(nil)
            contents.problems.append(error)
        }
    }
}
