import CLinux
import Glibc

/// Folders, whether they exist yet or not, and single files, watched through one descriptor: inotify(7).
///
/// What is watched is the folder, and what it takes to notice that another folder stands at its path: that each folder
/// on the way is not moved or removed, and, where one is missing or is a link, that its name appears above.
public final class WatchedPaths {
    /// What of a watch is of interest: these names, or everything.
    public enum Interest: Equatable, Sendable {
        case names(Set<String>)
        case everything
    }

    /// What came of reading events.
    public struct Events: Equatable {
        /// Whether anything of it is of interest.
        public var areOfInterest = false
        /// Whether the kernel's queue was full, and it is not known what happened.
        public var overflowed = false
    }

    private static let bufferBytes = 16_384

    private let folders: [String]
    private let files: [String]
    private let descriptor: OwnedDescriptor
    /// What is of interest, by the number of the watch.
    public private(set) var interests: [Int32: Interest] = [:]

    /// Watches these folders and files, absolute paths.
    public init(_ folders: [String] = [], files: [String] = []) throws(SystemError) {
        self.folders = folders
        self.files = files
        descriptor = try OwnedDescriptor("inotify_init") { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
        try renew()
    }

    /// Takes over what another process watches, which had the rights to; it cannot be renewed.
    public init(adopting descriptor: consuming OwnedDescriptor, interests: [Int32: Interest]) {
        folders = []
        files = []
        self.descriptor = descriptor
        self.interests = interests
    }

    /// Becomes readable when there are events.
    public var number: Int32 { descriptor.number }
    /// How many watches of the kernel's there are.
    public var watchCount: Int { interests.count }

    private static let own = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB)
    private static let appearing = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM)
    private static let content = appearing | UInt32(IN_CLOSE_WRITE)
    /// How many links to links are followed, as many as path_resolution(7) has.
    private static let mostLinks = 40

    /// Watches everything anew, as the folders are now: what is no longer needed goes. What could not be watched anew stays
    /// as it was.
    public func renew() throws(SystemError) {
        let before = interests
        interests = [:]
        var masks: [Int32: UInt32] = [:]
        do throws(SystemError) {
            for folder in folders { try watch(folder, &masks) }
            for file in files { try watchFile(file, &masks) }
        } catch {
            interests.merge(before) { new, _ in new }
            throw error
        }
        for stale in before.keys where interests[stale] == nil { inotify_rm_watch(descriptor.number, stale) }
    }

    /// From the root down. Each folder is watched for names before it is asked whether it has the next, so that nothing
    /// appears unseen between, and for names no longer where it has.
    private func watch(
        _ folder: String, isFile: Bool = false, _ masks: inout [Int32: UInt32]
    ) throws(SystemError) {
        var path = ""
        var rest = folder.split(separator: "/").map(String.init)[...]
        while true {
            let place = path.isEmpty ? "/" : path
            if isFile, rest.isEmpty {
                // What it leads to, where it is a link.
                if let number = try add(place, Self.own | UInt32(IN_CLOSE_WRITE), isFile: true) {
                    interests[number] = .everything
                }
                return
            }
            guard let number = try add(place, Self.own | Self.content) else { return }
            let mask = masks[number] ?? Self.own
            guard let name = rest.popFirst() else {
                masks[number] = Self.own | Self.content
                interests[number] = .everything
                return
            }
            let child = "\(path)/\(name)"
            interests[number] = interests[number] ?? .names([])
            if isPlainFolder(child) {
                masks[number] = mask
                _ = try add(place, mask)
            } else {
                masks[number] = mask | Self.appearing
                _ = try add(place, mask | Self.appearing)
                if case .names(let names) = interests[number] { interests[number] = .names(names.union([name])) }
                if access(child, F_OK) != 0 { return }
            }
            path = child
        }
    }

    /// The file's name, where it leads to, and so on.
    private func watchFile(_ file: String, _ masks: inout [Int32: UInt32]) throws(SystemError) {
        var path = file
        for _ in 0..<Self.mostLinks {
            try watch(path, isFile: true, &masks)
            guard let target = LinkTarget.read(path) else { return }
            path = Self.path(of: target, in: path)
        }
    }

    /// The path that a link's text means, without `.` and `..` as they stand there; a folder on the way that is a link
    /// itself and is left upwards is not what anybody has.
    private static func path(of target: String, in link: String) -> String {
        var parts = target.hasPrefix("/") ? [] : Array(link.split(separator: "/").dropLast())
        for part in target.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// The watch of a folder or file, for this and nothing else; nil where there is none.
    private func add(_ path: String, _ mask: UInt32, isFile: Bool = false) throws(SystemError) -> Int32? {
        let number = inotify_add_watch(descriptor.number, path, mask | (isFile ? 0 : UInt32(IN_ONLYDIR)))
        if number >= 0 { return number }
        switch errno {
        // It went meanwhile, is no folder, or may not be read: the parent folder's watch reports when that changes.
        case ENOENT, ENOTDIR, EACCES, ELOOP: return nil
        default: throw SystemError("watch", subject: path)
        }
    }

    private func isPlainFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    // Events

    /// Reads what has come, one buffer of it, so that a busy folder starves nothing else.
    public func readEvents() -> Events {
        var events = Events()
        withUnsafeTemporaryAllocation(byteCount: Self.bufferBytes, alignment: 8) { buffer in
            let count = read(descriptor.number, buffer.baseAddress, buffer.count)
            guard count > 0 else { return }
            var offset = 0
            let header = MemoryLayout<inotify_event>.size
            while offset + header <= count {
                let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let name = buffer[(offset + header)..<min(count, offset + header + Int(event.len))]
                if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { events.overflowed = true }
                if isOfInterest(event, name: name) { events.areOfInterest = true }
                offset += header + Int(event.len)
            }
        }
        return events
    }

    private func isOfInterest(_ event: inotify_event, name: Slice<UnsafeMutableRawBufferPointer>) -> Bool {
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
        guard let interest = interests[event.wd] else { return false }
        if event.mask & UInt32(IN_IGNORED) != 0 {
            // The kernel may give the number to another watch.
            interests[event.wd] = nil
            return true
        }
        switch interest {
        case .everything: return true
        case .names(let names):
            return event.len == 0 || names.contains(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
        }
    }
}
