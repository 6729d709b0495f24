import Glibc
import Platform
import TestSupport

/// The disk's state of a folder whose program ran under the shim: at a cut the folder contains the synchronized writes,
/// and a part of the other writes that depends on the style and the seed.
///
/// A name is safe once its directory was synchronized; the names of a directory become safe in the order in which they
/// were changed, as in file systems with a journal. SQLite's index of the write-ahead log (`-shm`) is never safe: it is
/// missing, or full of garbage.
public struct SimulatedDisk {
    private enum Entry: Equatable {
        case directory
        case file(Int)
    }

    /// A change of a directory that is not synchronized.
    private struct NameChange {
        enum Kind {
            case set(String, Entry)
            case remove(String)
            case rename(from: String, to: String)
        }

        let index: Int
        let directory: String
        let kind: Kind
    }

    private let root: String
    private var files: [SimulatedFile] = []
    /// By path: the safe content, and the content that the program sees.
    private var durable: [String: Entry] = [:]
    private var seen: [String: Entry] = [:]
    private var pendingNames: [NameChange] = []
    private var numbers: [UInt64: Int] = [:]
    private var begun: [UInt64: Int] = [:]
    private var next = 0

    /// The writes that a cut omitted and preserved.
    public struct Cut: Sendable {
        /// How the disk behaved.
        public let style: CutStyle
        /// Changes of files and of names that were not synchronized.
        public let unsynchronized: Int
    }

    /// Treats the present content of a folder, which may be missing, as safe.
    public init(folder: String) throws {
        root = folder
        if DirectoryListing.isDirectory(folder) { try snapshot(folder) }
    }

    private mutating func snapshot(_ directory: String) throws {
        durable[directory] = .directory
        for name in DirectoryListing.names(directory) {
            let path = "\(directory)/\(name)"
            if DirectoryListing.isDirectory(path) {
                try snapshot(path)
            } else {
                var status = stat()
                try retrying("examine", subject: path) { stat(path, &status) }
                numbers[UInt64(status.st_ino)] = files.count
                durable[path] = .file(files.count)
                files.append(SimulatedFile(durable: try BoundedFile.bytes(of: path, limit: 1 << 30)))
            }
        }
        seen = durable
    }

    /// Applies the records of a log.
    public mutating func follow(_ log: [UInt8]) throws(DiskLogError) {
        for record in try DiskRecord.read(log) {
            try follow(record)
            next += 1
        }
    }

    /// The disk after each record of a log.
    public mutating func states(of log: [UInt8]) throws(DiskLogError) -> [SimulatedDisk] {
        var states: [SimulatedDisk] = []
        for record in try DiskRecord.read(log) {
            try follow(record)
            next += 1
            states.append(self)
        }
        return states
    }

    /// The content of a file as programs see it; nil where there is none.
    public func seen(_ path: String) -> [UInt8]? {
        guard case .file(let number)? = seen[path] else { return nil }
        return files[number].content(before: next)
    }

    private mutating func follow(_ record: DiskRecord) throws(DiskLogError) {
        switch record {
        case .created(let path, let inode):
            numbers[inode] = files.count
            change(path, .set(path, .file(files.count)))
            files.append(SimulatedFile())
        case .madeDirectory(let path): change(path, .set(path, .directory))
        case .removed(let path): change(path, .remove(path))
        case .renamed(let from, let to):
            guard Self.directory(of: from) == Self.directory(of: to) else {
                throw DiskLogError(description: "renamed into another directory")
            }
            change(from, .rename(from: from, to: to))
        case .written(let inode, let offset, let bytes):
            files[try number(inode)].add(.write(offset: offset, bytes: bytes), at: next)
        case .truncated(let inode, let size): files[try number(inode)].add(.truncate(size: size), at: next)
        case .syncBegun(_, let token), .directorySyncBegun(_, let token): begun[token] = next
        case .syncDone(let inode, let token): files[try number(inode)].synchronize(before: begun[token] ?? 0)
        case .directorySyncDone(let path, let token):
            let end = begun[token] ?? 0
            for change in pendingNames where change.directory == path && change.index < end {
                Self.apply(change.kind, to: &durable)
            }
            pendingNames.removeAll { $0.directory == path && $0.index < end }
        case .step: break
        case .unsupported(let what): throw DiskLogError(description: "the program used \(what)")
        }
    }

    private func number(_ inode: UInt64) throws(DiskLogError) -> Int {
        guard let number = numbers[inode] else { throw DiskLogError(description: "a file that was never opened") }
        return number
    }

    private mutating func change(_ path: String, _ kind: NameChange.Kind) {
        pendingNames.append(NameChange(index: next, directory: Self.directory(of: path), kind: kind))
        Self.apply(kind, to: &seen)
    }

    private static func apply(_ kind: NameChange.Kind, to names: inout [String: Entry]) {
        switch kind {
        case .set(let path, let entry): names[path] = entry
        case .remove(let path): names[path] = nil
        case .rename(let from, let to):
            // Where the name it had never became safe, neither does the one it got: that cannot be, as they are in
            // order.
            names[to] = names[from]
            names[from] = nil
        }
    }

    private static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    // The cut

    /// Leaves the folder as the disk has it after a loss of power, and treats that as safe.
    @discardableResult
    public mutating func cut(_ style: CutStyle, using random: inout some RandomNumberGenerator) throws -> Cut {
        let unsynchronized = files.reduce(pendingNames.count) { $0 + $1.pending.count }
        let point = style == .nothing ? 0 : style == .everything ? next : Int.random(in: 0...next, using: &random)
        var names = durable
        var limits: [String: Int] = [:]
        for change in pendingNames {
            let isPerDirectory = style == .pages || style == .sectors
            let limit =
                isPerDirectory
                ? limits[change.directory] ?? Int.random(in: 0...next, using: &random) : point
            limits[change.directory] = limit
            if change.index < limit { Self.apply(change.kind, to: &names) }
        }
        try clear()
        for (path, entry) in names.sorted(by: { $0.key < $1.key }) where isReachable(path, in: names) {
            switch entry {
            case .directory: try retrying("make", subject: path) { mkdir(path, 0o700) }
            case .file(let number):
                let content = content(of: files[number], path, style, point, using: &random)
                if let content { try write(content, to: path) }
            }
        }
        self = try SimulatedDisk(folder: root)
        return Cut(style: style, unsynchronized: unsynchronized)
    }

    private func content(
        of file: SimulatedFile, _ path: String, _ style: CutStyle, _ point: Int,
        using random: inout some RandomNumberGenerator
    ) -> [UInt8]? {
        if path.hasSuffix("-shm") {
            guard Bool.random(using: &random) else { return nil }
            return (0..<32_768).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        switch style {
        case .nothing: return file.durable
        case .everything, .prefix: return file.content(before: point)
        case .pages: return file.scattered(blockSize: 4_096, using: &random)
        case .sectors: return file.scattered(blockSize: 512, using: &random)
        }
    }

    /// Whether all parent directories exist.
    private func isReachable(_ path: String, in names: [String: Entry]) -> Bool {
        path == root
            || (names[Self.directory(of: path)] == .directory && isReachable(Self.directory(of: path), in: names))
    }

    private func clear() throws {
        guard DirectoryListing.isDirectory(root) else { return }
        try Self.remove(root)
    }

    private static func remove(_ path: String) throws {
        if DirectoryListing.isDirectory(path) {
            for name in DirectoryListing.names(path) { try remove("\(path)/\(name)") }
        }
        try retrying("remove", subject: path) { Glibc.remove(path) }
    }

    private func write(_ content: [UInt8], to path: String) throws {
        let file = try OwnedDescriptor("open", subject: path) {
            open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
        var written = 0
        while written < content.count {
            written += try retrying("write", subject: path) {
                content[written...].withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
            }
        }
    }
}
