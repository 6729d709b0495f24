import Glibc
import Platform

/// Manifests as they are being written or installed, held against the rules, each other and what is installed:
/// `waymark manifest check`.
public struct ManifestCheck: Sendable {
    /// The folders that count on this machine.
    private let folders: [ManifestFolder]
    /// Whose word a file is that is in none of them.
    private let owner: FileOwner

    /// A check among the manifests of these folders, of files elsewhere as this owner's.
    public init(among folders: [ManifestFolder], as owner: FileOwner) {
        self.folders = folders
        self.owner = owner
    }

    /// The files that these paths stand for: of a folder every manifest in it, `*.app`, and not what is in folders within.
    /// With what is wrong with those that stand for none.
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

    /// What there is to say about each of these files, in their order.
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

    /// What there is to say about everything that is installed, and how many manifests that is.
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

    /// What a file says; nil for one that only hides another of its name.
    private func reading(_ path: String) -> Result<ManifestReading?, FileProblem> {
        let folder = folder(of: path)
        do throws(FileProblem) {
            // Where it is installed it has to be its owner's alone; elsewhere it is only looked at.
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

    /// The folder that counts which the file is in.
    private func folder(of path: String) -> ManifestFolder? {
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard let real = Self.resolved(directory.isEmpty ? "/" : directory) else { return nil }
        return folders.first { Self.resolved($0.path) == real }
    }

    /// The path without links, realpath(3); nil where there is no such folder.
    private static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
