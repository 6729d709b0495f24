import Glibc
import Platform

/// A file or folder that counts only where those wrote it whose word it is.
enum TrustedFile {
    /// Reads a file whole; nil where there is none. Without an owner it is read whoever wrote it, to be examined only.
    static func bytes(of path: String, owner: FileOwner?, limit: Int) throws(FileProblem) -> [UInt8]? {
        do throws(SystemError) {
            let file = try ExaminedFile(path)
            // A link to /dev/null is how systemd's files are masked.
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
            // What is at the end of a user's link may be where that user may not look: no reason is reported.
            case _ where isLink(path, of: owner): throw FileProblem(.error, file: path, foreign)
            default:
                throw FileProblem(.error, file: path, "cannot \(error.operation) it: \(SystemError.text(error.code))")
            }
        }
    }

    /// The names in a folder that end like this, in the order of their bytes; none where there is no folder. Without an
    /// owner whoever may write there, to be examined only.
    static func names(
        in folder: String, suffix: String, owner: FileOwner?, limit: Int
    ) throws(FileProblem) -> [String] {
        let descriptor: Int32
        let status: stat
        do throws(SystemError) {
            let examined = try ExaminedFile(folder)
            // The same answer as for a folder that does not exist.
            if try isForeign(examined, at: folder, to: owner) { return [] }
            guard examined.isFolder else { throw SystemError("list", code: ENOTDIR) }
            status = examined.status
            descriptor = try examined.open().release()
        } catch {
            if error.code == ENOENT || isLink(folder, of: owner) { return [] }
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
            // readdir(3) ends d_name with NUL inside the entry.
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

    /// What is reported of everything that a user's link leads to and that is not that user's own file.
    private static let foreign = "is a link, and leads to no file of its user's own"

    /// Whether a user's link leads to what does not belong to that user. A process that may read everything follows the
    /// links of users who may not, so what is found there is neither read nor reported in any detail.
    private static func isForeign(
        _ file: borrowing ExaminedFile, at path: String, to owner: FileOwner?
    ) throws(SystemError) -> Bool {
        guard case .user(let uid) = owner, file.status.st_uid != uid || !(file.isRegular || file.isFolder) else {
            return false
        }
        if file.isLinked { return true }
        // Links in the middle of the path count as well, below the home; those above it are root's.
        guard let end = path.ranges(of: ManifestFolder.personalEnd).last else { return false }
        let home = path[..<end.lowerBound]
        return try !file.isBelow(home.isEmpty ? "/" : String(home))
    }

    /// Whether the last part of a user's path is a link.
    private static func isLink(_ path: String, of owner: FileOwner?) -> Bool {
        guard case .user = owner else { return false }
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// What makes it the word of somebody else than its owner.
    private static func objection(to status: stat, owner: FileOwner) -> String? {
        switch owner {
        case .root:
            guard status.st_uid == 0 || status.st_uid == selfOwned else {
                return "belongs to uid \(status.st_uid), and has to be root's: chown root it"
            }
        case .user(let uid):
            // Root may put a file there, but then one that everybody may read: never a way to what the user may not.
            guard status.st_uid == uid || (status.st_uid == 0 && status.st_mode & S_IROTH != 0) else {
                return "belongs to uid \(status.st_uid), and has to be uid \(uid)'s"
            }
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            return "may be written by others: chmod go-w it"
        }
        return nil
    }

    /// A daemon that runs as an ordinary user beside the system's has nobody above it but root and itself.
    private static let selfOwned = geteuid()
}
