import Glibc
import Platform

/// The files of one store in the app's folder.
struct StateFolder: Sendable {
    /// The result of reading a state.
    enum Content {
        /// The whole file.
        case bytes([UInt8])
        /// A file that is larger than the limit.
        case tooLarge
        /// Something that the app has not written: a link, a special file, or a file that another user owns or can write.
        case foreign
    }

    let path: String
    /// The saved state.
    let saved: String
    /// The state during its restoration. It exists at the start of a restoration only if an earlier one did not finish.
    let opened: String
    private static let noun = "the app's state"
    private var draft: String { DurableFile.draft(of: saved) }

    /// Uses a folder, and makes it with its parents if `isMade` is set.
    init(_ path: String, isMade: Bool, name: String) throws(StateStoreError) {
        self.path = path
        saved = "\(name).state"
        opened = "\(name).state.opened"
        let status: stat
        do throws(SystemError) {
            if isMade { try OwnFolder.make(path, noun: "the folder of \(Self.noun)") }
            status = try Self.examine(path)
        } catch {
            throw .system(error)
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else { throw .folderOfOthers(path: path) }
    }

    private static func examine(_ path: String) throws(SystemError) -> stat {
        var status = stat()
        let folder = try OwnedDescriptor("open the folder of \(noun)", subject: path) {
            Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        try retrying("examine the folder of \(noun)", subject: path) { fstat(folder.number, &status) }
        return status
    }

    /// Replaces the saved state. The change is durable when this returns; if it throws, the old state remains.
    func save(_ contents: [UInt8]) throws(SystemError) {
        try remove(opened)
        // A draft that a crash has left behind.
        try remove(draft)
        try DurableFile.replace(saved, in: path, with: contents, noun: Self.noun)
    }

    /// Renames the saved state, so that it is not restored again. Durable when this returns. False if there is none.
    func open() throws(SystemError) -> Bool {
        if Glibc.rename("\(path)/\(saved)", "\(path)/\(opened)") != 0 {
            if errno == ENOENT { return false }
            throw SystemError("open \(Self.noun)", subject: "\(path)/\(saved)")
        }
        try DurableFile.synchronize(directory: path)
        return true
    }

    /// Whether an earlier restoration did not finish.
    func hasOpened() throws(SystemError) -> Bool {
        var status = stat()
        if lstat("\(path)/\(opened)", &status) == 0 { return true }
        if errno == ENOENT { return false }
        throw SystemError("examine \(Self.noun)", subject: "\(path)/\(opened)")
    }

    /// The state that is being restored.
    func readOpened(limit: Int) throws(SystemError) -> Content {
        let file = "\(path)/\(opened)"
        // O_NONBLOCK, because opening a FIFO would otherwise block.
        let number = Glibc.open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if number < 0 {
            // Links, sockets, and files that the app's user may not read: none is written by `save`.
            if errno == ELOOP || errno == ENXIO || errno == EACCES { return .foreign }
            throw SystemError("read \(Self.noun)", subject: file)
        }
        let descriptor = OwnedDescriptor(adopting: number)
        var status = stat()
        try retrying("examine \(Self.noun)", subject: file) { fstat(descriptor.number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o022 == 0,
            status.st_nlink == 1
        else { return .foreign }
        guard status.st_size <= limit else { return .tooLarge }
        do throws(SystemError) {
            return .bytes(try BoundedFile.bytes(from: descriptor.number, limit: limit, subject: file))
        } catch {
            if error.code == EFBIG { return .tooLarge }
            throw error
        }
    }

    /// Removes the state that was restored. Durable when this returns.
    func close() throws(SystemError) {
        try remove(opened)
        try DurableFile.synchronize(directory: path)
    }

    /// Removes everything of the store. Durable when this returns.
    func clear() throws(SystemError) {
        for name in [saved, draft, opened] { try remove(name) }
        try DurableFile.synchronize(directory: path)
    }

    /// Removes a file, or an empty directory in its place; without effect if there is none.
    private func remove(_ name: String) throws(SystemError) {
        if Glibc.remove("\(path)/\(name)") != 0, errno != ENOENT {
            throw SystemError("remove \(Self.noun)", subject: "\(path)/\(name)")
        }
    }
}

extension Int32 {
    /// Whether this error number means that the disk, or the user's part of it, is full.
    var isFullDisk: Bool { self == ENOSPC || self == EDQUOT }
}
