import CLinux
import Glibc

/// Folders, whether or not they exist yet, and single files, watched through one inotify(7) descriptor.
///
/// Besides a folder itself, the watches detect that another folder is put at its path: that a parent folder is moved or
/// removed, and, if a component of the path is missing or a symbolic link, that its name appears in its parent.
public final class WatchedPaths {
    /// The events of a watch that are reported: those about these names, or all.
    public enum Interest: Equatable, Sendable {
        case names(Set<String>)
        case everything
    }

    /// The result of reading events.
    public struct Events: Equatable {
        /// Whether any event is to be reported.
        public var areOfInterest = false
        /// Whether the kernel's queue overflowed, so that the changes are unknown.
        public var overflowed = false
    }

    private static let bufferBytes = 16_384

    private let folders: [String]
    private let files: [String]
    private let descriptor: OwnedDescriptor
    /// The interest of each watch, by its number.
    public private(set) var interests: [Int32: Interest] = [:]

    /// Watches these folders and files (absolute paths).
    public init(_ folders: [String] = [], files: [String] = []) throws(SystemError) {
        self.folders = folders
        self.files = files
        descriptor = try OwnedDescriptor("inotify_init") { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
        try renew()
    }

    /// Adopts the watches that another process with more rights has made. `renew` must not be called.
    public init(adopting descriptor: consuming OwnedDescriptor, interests: [Int32: Interest]) {
        folders = []
        files = []
        self.descriptor = descriptor
        self.interests = interests
    }

    /// The descriptor, which becomes readable when there are events.
    public var number: Int32 { descriptor.number }
    /// The number of inotify watches.
    public var watchCount: Int { interests.count }

    private static let own = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB)
    private static let appearing = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM)
    private static let content = appearing | UInt32(IN_CLOSE_WRITE)
    /// The most links to links that are followed, as in path_resolution(7).
    private static let mostLinks = 40

    /// Updates all watches for the present state of the folders. Unnecessary watches are removed; those that could not
    /// be updated remain unchanged.
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

    /// Watches a path from the root down. Each folder is first watched for new names and then checked for the next
    /// component, so that the component cannot appear unnoticed in between. If the component exists, new names are no
    /// longer watched.
    private func watch(
        _ folder: String, isFile: Bool = false, _ masks: inout [Int32: UInt32]
    ) throws(SystemError) {
        var path = ""
        var rest = folder.split(separator: "/").map(String.init)[...]
        while true {
            let place = path.isEmpty ? "/" : path
            if isFile, rest.isEmpty {
                // The target, if it is a symbolic link.
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

    /// Watches the file, and the target of each link from it.
    private func watchFile(_ file: String, _ masks: inout [Int32: UInt32]) throws(SystemError) {
        var path = file
        for _ in 0..<Self.mostLinks {
            try watch(path, isFile: true, &masks)
            guard let target = LinkTarget.read(path) else { return }
            path = Self.path(of: target, in: path)
        }
    }

    /// Resolves the text of a link, with `.` and `..` removed lexically. A `..` after a component that is itself a
    /// symbolic link is therefore resolved incorrectly; such links are not expected.
    private static func path(of target: String, in link: String) -> String {
        var parts = target.hasPrefix("/") ? [] : Array(link.split(separator: "/").dropLast())
        for part in target.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Adds or replaces the watch of a folder or file; nil if it does not exist or cannot be watched.
    private func add(_ path: String, _ mask: UInt32, isFile: Bool = false) throws(SystemError) -> Int32? {
        let number = inotify_add_watch(descriptor.number, path, mask | (isFile ? 0 : UInt32(IN_ONLYDIR)))
        if number >= 0 { return number }
        switch errno {
        // It was removed, is no folder, or may not be read: the parent folder's watch reports when that changes.
        case ENOENT, ENOTDIR, EACCES, ELOOP: return nil
        default: throw SystemError("watch", subject: path)
        }
    }

    private func isPlainFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    // Events

    /// Reads one buffer of events, so that a busy folder does not starve other sources.
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
            // The kernel may reuse the number for another watch.
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
