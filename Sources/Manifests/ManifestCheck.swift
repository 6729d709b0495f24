import Glibc
import Platform

/// Checks manifests against the rules, against each other and against the installed ones, for `waymark manifest check`.
public struct ManifestCheck: Sendable {
    /// The folders of installed manifests.
    private let folders: [ManifestFolder]
    /// The assumed owner of a file outside these folders.
    private let owner: FileOwner

    /// A check against the manifests of these folders. Files elsewhere are checked as this owner's.
    public init(among folders: [ManifestFolder], as owner: FileOwner) {
        self.folders = folders
        self.owner = owner
    }

    /// The files that these paths name: a folder stands for every manifest `*.app` directly in it. Also returns the
    /// problems of paths that name no file.
    public func files(at paths: [String]) -> (files: [String], problems: [FileProblem]) {
        var files: [String] = []
        var problems: [FileProblem] = []
        for path in paths {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                files.append(path)
                continue
            }
            let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
            do throws(FileProblem) {
                let names = try TrustedFile.names(
                    in: path, suffix: ".app", owner: folder(of: "\(trimmed)/")?.owner,
                    limit: ManifestFolder.maximumFiles)
                files += names.map { "\(trimmed == "/" ? "" : trimmed)/\($0)" }
                if names.isEmpty { problems.append(FileProblem(.error, file: path, "is a folder without any *.app")) }
            } catch {
                problems.append(error)
            }
        }
        return (files, problems)
    }

    /// The problems of these files, in their order.
    public func problems(of files: [String]) -> [FileProblem] {
        let readings = files.map(reading)
        var catalogue = installed
        catalogue.suppose(
            readings.compactMap { reading in
                guard case .success(let reading) = reading else { return nil }
                return reading?.manifest
            })
        return readings.flatMap { reading in
            switch reading {
            case .success(let reading): reading.map { ManifestLint.examine($0, among: catalogue) } ?? []
            case .failure(let problem): [problem]
            }
        }
    }

    /// The problems of all installed manifests, and the number of these manifests.
    public var installedProblems: (problems: [FileProblem], count: Int) {
        var files: [String] = []
        var problems: [FileProblem] = []
        for folder in folders {
            do throws(FileProblem) {
                files += try TrustedFile.names(
                    in: folder.path, suffix: ".app", owner: folder.owner, limit: ManifestFolder.maximumFiles
                ).map { "\(folder.path)/\($0)" }
            } catch {
                problems.append(error)
            }
        }
        return (problems + self.problems(of: files), files.count)
    }

    private var installed: Catalogue {
        var catalogue = Catalogue()
        catalogue.readShared(folders)
        for folder in folders where folder.owner != .root { catalogue.readPersonal(folder) }
        return catalogue
    }

    /// Reads a file; nil for an empty one, which only hides another file with its name.
    private func reading(_ path: String) -> Result<ManifestReading?, FileProblem> {
        let folder = folder(of: path)
        do throws(FileProblem) {
            // An installed file has to belong to its owner only; a file elsewhere is only checked.
            let found = try TrustedFile.bytes(of: path, owner: folder?.owner, limit: ManifestReading.maximumBytes)
            guard let bytes = found else { throw FileProblem(.error, file: path, "there is no such file") }
            if folder != nil, bytes.isEmpty { return .success(nil) }
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            let id = name.hasSuffix(".app") ? String(name.dropLast(4)) : ""
            return .success(ManifestReading(bytes, id: id, path: path, owner: folder?.owner ?? owner))
        } catch {
            return .failure(error)
        }
    }

    /// The folder of installed manifests that contains the file.
    private func folder(of path: String) -> ManifestFolder? {
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard let real = Self.resolved(directory.isEmpty ? "/" : directory) else { return nil }
        return folders.first { Self.resolved($0.path) == real }
    }

    /// The path without links, realpath(3); nil if there is no such folder.
    private static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
