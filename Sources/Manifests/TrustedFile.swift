import Glibc
import Platform

/// Reads a file or folder only if no other user than its expected owner could write it.
enum TrustedFile {
    /// Reads a whole file; nil if there is none. Without an owner the file is read whoever wrote it, for checking only.
    static func bytes(of path: String, owner: FileOwner?, limit: Int) throws(FileProblem) -> [UInt8]? {
        do throws(SystemError) {
            let file = try ExaminedFile(path)
            // A link to /dev/null masks a file, as for systemd.
            if file.isNullDevice { return [] }
            if try isForeign(file, at: path, to: owner) { throw SystemError("read", code: EINVAL, subject: foreign) }
            guard file.isRegular else {
                throw SystemError("read", code: EINVAL, subject: "is not a regular file")
            }
            if let owner, let objection = objection(to: file.status, owner: owner) {
                throw SystemError("read", code: EINVAL, subject: objection)
            }
            let opened = try file.open()
            return try BoundedFile.bytes(from: opened.number, limit: limit)
        } catch {
            switch error.code {
            case ENOENT where !isLink(path, of: owner): return nil
            case EINVAL where !error.subject.isEmpty: throw FileProblem(.error, file: path, error.subject)
            case EFBIG: throw FileProblem(.error, file: path, "has more than \(limit / 1_024) KiB, which none has")
            // The target of a user's link may be where that user may not read, so no reason is reported.
            case _ where isLink(path, of: owner): throw FileProblem(.error, file: path, foreign)
            default:
                throw FileProblem(.error, file: path, "cannot \(error.operation) it: \(SystemError.text(error.code))")
            }
        }
    }

    /// The names in a folder with this ending, in byte order; none if there is no folder. Without an owner whoever may
    /// write to it, for checking only.
    static func names(
        in folder: String, suffix: String, owner: FileOwner?, limit: Int
    ) throws(FileProblem) -> [String] {
        try namesIfPresent(in: folder, suffix: suffix, owner: owner, limit: limit) ?? []
    }

    /// The same; nil if there is no folder.
    static func namesIfPresent(
        in folder: String, suffix: String, owner: FileOwner?, limit: Int
    ) throws(FileProblem) -> [String]? {
        let descriptor: Int32
        let status: stat
        do throws(SystemError) {
            let examined = try ExaminedFile(folder)
            // The same result as for a folder that does not exist.
            if try isForeign(examined, at: folder, to: owner) { return nil }
            guard examined.isFolder else { throw SystemError("list", code: ENOTDIR) }
            status = examined.status
            descriptor = try examined.open().release()
        } catch {
            if error.code == ENOENT || isLink(folder, of: owner) { return nil }
            throw FileProblem(.error, file: folder, "cannot list it: \(SystemError.text(error.code))")
        }
        guard let handle = fdopendir(descriptor) else {
            let code = errno
            _ = close(descriptor)
            throw FileProblem(.error, file: folder, "cannot list it: \(SystemError.text(code))")
        }
        defer { closedir(handle) }
        if let owner, let objection = objection(to: status, owner: owner) {
            throw FileProblem(.error, file: folder, objection)
        }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(handle) else { break }
            // In d_name of readdir(3) the name is terminated by NUL.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(suffix), !name.hasPrefix(".") else { continue }
            guard names.count < limit else {
                throw FileProblem(.error, file: folder, "has more than \(limit) files *\(suffix). Remove some")
            }
            names.append(name)
        }
        let code = errno
        guard code == 0 else {
            throw FileProblem(.error, file: folder, "cannot list it: \(SystemError.text(code))")
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Reported for every target of a user's link that is not that user's own file.
    private static let foreign = "is a link, and leads to no file of its user's own"

    /// Whether a user's link leads to a file of another owner. A process with more rights would follow the link on
    /// behalf of that user, so such a file is neither read nor described.
    private static func isForeign(
        _ file: borrowing ExaminedFile, at path: String, to owner: FileOwner?
    ) throws(SystemError) -> Bool {
        guard case .user(let uid) = owner, file.status.st_uid != uid || !(file.isRegular || file.isFolder) else {
            return false
        }
        if file.isLinked { return true }
        // Links in the middle of the path count too, below the home. Those above the home belong to root.
        guard let end = path.ranges(of: ManifestFolder.personalEnd).last else { return false }
        let home = path[..<end.lowerBound]
        return try !file.isBelow(home.isEmpty ? "/" : String(home))
    }

    /// Whether the last component of a user's path is a link.
    private static func isLink(_ path: String, of owner: FileOwner?) -> Bool {
        guard case .user = owner else { return false }
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Why the file may have been written by others than its owner; nil without an objection.
    private static func objection(to status: stat, owner: FileOwner) -> String? {
        switch owner {
        case .root:
            guard status.st_uid == 0 || status.st_uid == selfOwned else {
                return "belongs to uid \(status.st_uid), and has to be root's: chown root it"
            }
        case .user(let uid):
            // Root may put a file there, but it must be readable by all, so that it reveals nothing that the user may
            // not read.
            guard status.st_uid == uid || (status.st_uid == 0 && status.st_mode & S_IROTH != 0) else {
                return "belongs to uid \(status.st_uid), and has to be uid \(uid)'s"
            }
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            return "may be written by others: chmod go-w it"
        }
        return nil
    }

    /// A daemon that runs as an ordinary user accepts files of root and of its own user as the system's.
    private static let selfOwned = geteuid()
}
