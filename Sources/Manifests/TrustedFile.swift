import Glibc
import Platform

/// A file or folder that counts only where those wrote it whose word it is.
enum TrustedFile {
    /// Reads a file whole; nil where there is none. Without an owner it is read whoever wrote it, to be examined only.
    static func bytes(of path: String, owner: FileOwner?, limit: Int) throws(FileProblem) -> [UInt8]? {
        do throws(SystemError) {
            // Without waiting: a FIFO would hold the daemon.
            let file = try OwnedDescriptor("open") { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
            var status = stat()
            try retrying("examine") { fstat(file.number, &status) }
            // A link to /dev/null is how systemd's files are masked.
            if status.st_mode & S_IFMT == S_IFCHR, status.st_rdev == nullDevice { return [] }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw SystemError("read", code: EINVAL, subject: "is not a regular file")
            }
            if let owner, let objection = objection(to: status, owner: owner) {
                throw SystemError("read", code: EINVAL, subject: objection)
            }
            return try BoundedFile.bytes(from: file.number, limit: limit)
        } catch {
            switch error.code {
            case ENOENT: return nil
            case EINVAL where !error.subject.isEmpty: throw FileProblem(.error, file: path, error.subject)
            case EFBIG: throw FileProblem(.error, file: path, "has more than \(limit / 1_024) KiB, which none has")
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
        guard let handle = opendir(folder) else {
            let code = errno
            if code == ENOENT { return [] }
            throw FileProblem(.error, file: folder, "cannot list it: \(SystemError.text(code))")
        }
        defer { closedir(handle) }
        var status = stat()
        guard fstat(dirfd(handle), &status) == 0 else { throw FileProblem(.error, file: folder, "cannot examine it") }
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

    /// Major 1, minor 3, null(4).
    private static let nullDevice: dev_t = 1 << 8 | 3

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
