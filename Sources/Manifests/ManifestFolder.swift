import Glibc
import Platform

/// A folder of manifests.
public struct ManifestFolder: Hashable, Sendable {
    /// A limit above the number on any machine.
    public static let maximumFiles = 20_000
    /// A limit above the number of any user.
    public static let maximumPersonalFiles = 64
    /// The limit for the total size of a user's manifests in bytes.
    public static let maximumPersonalBytes = 256 << 10
    /// The most problems that are listed for a user's manifests.
    static let maximumPersonalProblems = 100

    /// The path of the folder.
    public let path: String
    /// The owner of its manifests.
    public let owner: FileOwner

    /// A folder of this owner's manifests.
    public init(path: String, owner: FileOwner) {
        self.path = path
        self.owner = owner
    }

    /// The machine's folders: the packages', then the administrator's, which overrides the first.
    public static let machine = [
        ManifestFolder(path: "/usr/share/waymark/apps", owner: .root),
        ManifestFolder(path: "/etc/waymark/apps", owner: .root),
    ]

    /// The path of a user's own folder below the home.
    public static let personalEnd = "/.config/waymark/apps"

    /// The home with a user's own folder; nil for another folder.
    public var home: String? {
        path.hasSuffix(Self.personalEnd) ? String(path.dropLast(Self.personalEnd.utf8.count)) : nil
    }

    /// The creation time of that home in microseconds since 1970; nil if it is unknown, see `DirectoryBirth`.
    public func homeBirth(of uid: uid_t) -> Int64? {
        home.flatMap { DirectoryBirth.microseconds(of: $0, owner: uid) }
    }

    /// A user's own folder below the home in the user database; nil for an unknown user.
    ///
    /// - Throws: An error if the database is not available, so that it is not known whether there is such a user.
    public static func personal(of uid: uid_t) throws(SystemError) -> ManifestFolder? {
        guard let home = try UserDatabase.entry(.uid(uid))?.home, home.hasPrefix("/") else { return nil }
        return ManifestFolder(path: home + personalEnd, owner: .user(uid))
    }

    /// The content of a folder.
    public struct Contents: Equatable, Sendable {
        /// By app id: a manifest, or nil for a file without a valid one, which hides those of earlier folders.
        var manifests: [String: ManifestFile?] = [:]
        var problems: [FileProblem] = []
        /// The ids of files without a valid manifest that are not empty: only an empty file says that the app is removed.
        private(set) var unclear: Set<String> = []
        /// Whether the folder exists and could be listed.
        private(set) var isListed = true
        private let folder: ManifestFolder
        /// Whether the texts are available; without them the apps cannot request authorization.
        public private(set) var hasTexts = true
        /// Whether some problems are not listed.
        private var isCut = false

        /// The content of this folder, initially empty.
        public init(of folder: ManifestFolder) { self.folder = folder }

        /// Adds a result of `visit`.
        public mutating func append(_ finding: Finding) {
            switch finding {
            case .file(let name, let bytes):
                let id = String(name.dropLast(4))
                contents(id, name, bytes)
            case .wrongFile(let name, let message):
                manifests[String(name.dropLast(4))] = .some(nil)
                unclear.insert(String(name.dropLast(4)))
                add([FileProblem(.error, file: "\(folder.path)/\(name)", message)])
            case .wrongFolder(let message):
                isListed = false
                add([FileProblem(.error, file: folder.path, message)])
            case .noFolder: isListed = false
            }
        }

        /// Lists problems; for a user's files only a limited number.
        private mutating func add(_ new: [FileProblem]) {
            guard folder.owner != .root else { return problems += new }
            let left = max(0, ManifestFolder.maximumPersonalProblems - problems.count)
            problems += new.prefix(left)
            guard new.count > left, !isCut else { return }
            isCut = true
            problems.append(
                FileProblem(.warning, file: folder.path, "further mistakes are not listed: waymark manifest check"))
        }

        /// Reports that the apps cannot request authorization because their texts are not available.
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
            if reading.manifest == nil { unclear.insert(id) }
        }
    }

    /// An entry of a folder, not parsed yet.
    public enum Finding: Equatable, Sendable {
        /// A file with its content.
        case file(String, [UInt8])
        /// An invalid file, with the reason.
        case wrongFile(String, String)
        /// The folder is ignored, for this reason.
        case wrongFolder(String)
        /// There is no folder, or a home that is not mounted.
        case noFolder
    }

    /// Reads every manifest in it. An invalid or empty file hides the app's manifest in an earlier folder, because the
    /// earlier one is not what its author intended.
    public func read() -> Contents {
        var contents = Contents(of: self)
        visit { contents.append($0) }
        return contents
    }

    /// The ids of all files in it, valid or not, a template's with the @ at the end; none if the folder cannot be
    /// listed.
    public var appIDs: [String] {
        do throws(FileProblem) {
            return try TrustedFile.names(in: path, suffix: ".app", owner: owner, limit: Self.maximumFiles)
                .map { String($0.dropLast(4)) }
        } catch {
            return []
        }
    }

    /// Reads the entries in the byte order of their names.
    public func visit(_ found: (Finding) -> Void) {
        let limit = owner == .root ? Self.maximumFiles : Self.maximumPersonalFiles
        var left = owner == .root ? Int.max : Self.maximumPersonalBytes
        do throws(FileProblem) {
            guard
                let names = try TrustedFile.namesIfPresent(in: path, suffix: ".app", owner: owner, limit: limit)
            else { return found(.noFolder) }
            for name in names {
                do throws(FileProblem) {
                    let bytes = try TrustedFile.bytes(
                        of: "\(path)/\(name)", owner: owner, limit: ManifestReading.maximumBytes)
                    guard let bytes else { continue }
                    left -= left < 0 ? 0 : bytes.count
                    guard left >= 0 else {
                        let most = Self.maximumPersonalBytes >> 10
                        found(.wrongFile(name, "does not count: a user's manifests may have \(most) KiB in all"))
                        // Later, smaller files are not read either, so that the names alone determine which files are
                        // read.
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
