import Glibc
import Platform

/// A folder of manifests.
public struct ManifestFolder: Hashable, Sendable {
    /// More than any machine has.
    public static let maximumFiles = 20_000
    /// More than any user has.
    public static let maximumPersonalFiles = 64
    /// How many bytes of them all together count; more than any user has.
    public static let maximumPersonalBytes = 256 << 10
    /// How many mistakes in them all are listed.
    static let maximumPersonalProblems = 100

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

    /// Where in a home a user's own are.
    public static let personalEnd = "/.config/waymark/apps"

    /// The home that a user's own folder is in; nil for another folder.
    public var home: String? {
        path.hasSuffix(Self.personalEnd) ? String(path.dropLast(Self.personalEnd.utf8.count)) : nil
    }

    /// When that home was made, in microseconds since 1970; nil where that is not known, see `DirectoryBirth`.
    public func homeBirth(of uid: uid_t) -> Int64? {
        home.flatMap { DirectoryBirth.microseconds(of: $0, owner: uid) }
    }

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
                return ManifestFolder(path: home + personalEnd, owner: .user(uid))
            case EINTR: continue
            case ERANGE where buffer.count < 1 << 20: buffer = [CChar](repeating: 0, count: buffer.count * 4)
            case ENOENT, ESRCH: return nil
            default: throw SystemError("look up the user", code: status, subject: String(uid))
            }
        }
    }

    /// What a folder has.
    public struct Contents: Equatable, Sendable {
        /// By app id: a manifest, or nil where its file does not count and only hides those of earlier folders.
        var manifests: [String: ManifestFile?] = [:]
        var problems: [FileProblem] = []
        private let folder: ManifestFolder
        /// Whether the texts for people are there; without them the apps cannot ask.
        public private(set) var hasTexts = true
        /// Whether not all problems are listed.
        private var isCut = false

        /// Of this folder, nothing yet.
        public init(of folder: ManifestFolder) { self.folder = folder }

        /// Takes what a visit of the folder has found.
        public mutating func append(_ finding: Finding) {
            switch finding {
            case .file(let name, let bytes):
                let id = String(name.dropLast(4))
                contents(id, name, bytes)
            case .wrongFile(let name, let message):
                manifests[String(name.dropLast(4))] = .some(nil)
                add([FileProblem(.error, file: "\(folder.path)/\(name)", message)])
            case .wrongFolder(let message):
                add([FileProblem(.error, file: folder.path, message)])
            }
        }

        /// Lists mistakes; of a user's files no more than that user can read.
        private mutating func add(_ new: [FileProblem]) {
            guard folder.owner != .root else { return problems += new }
            let left = max(0, ManifestFolder.maximumPersonalProblems - problems.count)
            problems += new.prefix(left)
            guard new.count > left, !isCut else { return }
            isCut = true
            problems.append(
                FileProblem(.warning, file: folder.path, "further mistakes are not listed: waymark manifest check"))
        }

        /// Reports what keeps its apps from asking, as their texts are not there.
        mutating func reportMissingTexts(_ message: String) {
            hasTexts = false
            problems.append(FileProblem(.error, file: folder.path, message))
        }

        private mutating func contents(_ id: String, _ name: String, _ bytes: [UInt8]) {
            manifests[id] = .some(nil)
            guard !bytes.isEmpty else { return }
            let reading = ManifestReading(
                bytes, id: id, path: "\(folder.path)/\(name)", owner: folder.owner)
            add(reading.problems)
            manifests[id] = .some(reading.manifest)
        }
    }

    /// What is found in a folder, not yet understood.
    public enum Finding: Equatable, Sendable {
        /// A file of this name, with what is in it.
        case file(String, [UInt8])
        /// A file of this name that does not count, and why.
        case wrongFile(String, String)
        /// The folder does not count, and why.
        case wrongFolder(String)
    }

    /// Reads every manifest in it. A file that does not count, an empty one too, hides the app's in an earlier folder:
    /// what somebody meant to change there is not to be had as it was.
    public func read() -> Contents {
        var contents = Contents(of: self)
        visit { contents.append($0) }
        return contents
    }

    /// The apps that have a file in it, whatever is in that, a template's with its @ at the end; none where it cannot be
    /// listed.
    public var appIDs: [String] {
        do throws(FileProblem) {
            return try TrustedFile.names(in: path, suffix: ".app", owner: owner, limit: Self.maximumFiles)
                .map { String($0.dropLast(4)) }
        } catch {
            return []
        }
    }

    /// Finds what is in it, in the order of the names' bytes.
    public func visit(_ found: (Finding) -> Void) {
        let limit = owner == .root ? Self.maximumFiles : Self.maximumPersonalFiles
        var left = owner == .root ? Int.max : Self.maximumPersonalBytes
        do throws(FileProblem) {
            for name in try TrustedFile.names(in: path, suffix: ".app", owner: owner, limit: limit) {
                do throws(FileProblem) {
                    let bytes = try TrustedFile.bytes(
                        of: "\(path)/\(name)", owner: owner, limit: ManifestReading.maximumBytes)
                    guard let bytes else { continue }
                    left -= left < 0 ? 0 : bytes.count
                    guard left >= 0 else {
                        let most = Self.maximumPersonalBytes >> 10
                        found(.wrongFile(name, "does not count: a user's manifests may have \(most) KiB in all"))
                        // A smaller file that follows has no room either: which files count follows from their names.
                        continue
                    }
                    found(.file(name, bytes))
                } catch {
                    found(.wrongFile(name, error.message))
                }
            }
        } catch {
            found(.wrongFolder(error.message))
        }
    }
}
