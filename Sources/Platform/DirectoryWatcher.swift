import CLinux
import Glibc

/// Tells when something may have changed in folders, inotify(7), whether they exist yet or not, or in single files.
///
/// What is watched is the folder, and what it takes to notice that another folder stands at its path: that each folder
/// on the way is not moved or removed, and, where one is missing or is a link, that its name appears above. Nothing runs
/// while nothing changes. Changes that follow each other are told once, when it has been quiet for a while, or at the
/// latest a while after the first: who is told reads the folders again, whatever happened. So too where the kernel had
/// more to say than its queue holds.
///
/// Of a file it is noticed that it appears, is replaced, goes, or is written in place, also by another name or through a
/// mount over it; where it is a link, the same of what it leads to. What its folder holds beside it is nobody's business.
@DaemonActor
public final class DirectoryWatcher {
    /// What is known of a change.
    public struct Change: Sendable {
        /// Whether the kernel's queue was full, and it is not known what happened.
        public let overflowed: Bool
        /// Why some folders are not watched any more, if so: out of watches or of memory.
        public let failure: SystemError?
    }

    private static let bufferBytes = 16_384

    private let folders: [String]
    private let files: [String]
    private let quiet: Duration
    private let patience: Duration
    private let clock: any TimeSource
    private let handler: @DaemonActor (Change) -> Void
    private let descriptor: OwnedDescriptor
    private var source: IOSource?
    private var timer: TimerSource?
    /// What is told of each watch: these names, or everything.
    private var interests: [Int32: Interest] = [:]
    private var deadline: UInt64?
    private var overflowed = false
    /// How often the kernel's queue was full.
    public private(set) var overflows = 0

    private enum Interest {
        case names(Set<String>)
        case everything
    }

    /// Watches these folders and files, absolute paths; the handler is called after `quiet` without a change, or
    /// `patience` after the first.
    public init(
        _ folders: [String] = [], files: [String] = [], quiet: Duration = .milliseconds(100),
        patience: Duration = .seconds(1),
        clock: any TimeSource = SystemClock(), handler: @escaping @DaemonActor (Change) -> Void
    ) throws(SystemError) {
        self.folders = folders
        self.files = files
        self.quiet = quiet
        self.patience = patience
        self.clock = clock
        self.handler = handler
        descriptor = try OwnedDescriptor("inotify_init") { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
        try watch()
        source = try IOSource(descriptor.number, .readable) { [weak self] _ in self?.readEvents() }
        timer = try TimerSource(accuracy: .milliseconds(10)) { [weak self] in self?.tell() }
    }

    /// How many watches of the kernel's it holds.
    public var watchCount: Int { interests.count }

    /// Watches no longer.
    public func cancel() {
        source?.cancel()
        timer?.cancel()
    }

    // Before the descriptor is closed, and on the loop's thread.
    isolated deinit {
        cancel()
    }

    // Watching

    private static let own = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB)
    private static let appearing = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM)
    private static let content = appearing | UInt32(IN_CLOSE_WRITE)
    /// How many links to links are followed, as many as path_resolution(7) has.
    private static let mostLinks = 40

    /// Watches everything anew: what is no longer needed goes.
    private func watch() throws(SystemError) {
        let before = Set(interests.keys)
        interests = [:]
        var masks: [Int32: UInt32] = [:]
        for folder in folders { try watch(folder, &masks) }
        for file in files { try watchFile(file, &masks) }
        for stale in before.subtracting(interests.keys) { inotify_rm_watch(descriptor.number, stale) }
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
        // It went meanwhile, is no folder, or may not be read: the folder above it tells when that changes.
        case ENOENT, ENOTDIR, EACCES, ELOOP: return nil
        default: throw SystemError("watch", subject: path)
        }
    }

    private func isPlainFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    // Events

    private func readEvents() {
        withUnsafeTemporaryAllocation(byteCount: Self.bufferBytes, alignment: 8) { buffer in
            // One buffer a turn, so that a busy folder starves nothing else.
            let count = read(descriptor.number, buffer.baseAddress, buffer.count)
            guard count > 0 else { return }
            var isChange = false
            var offset = 0
            let header = MemoryLayout<inotify_event>.size
            while offset + header <= count {
                let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let name = buffer[(offset + header)..<min(count, offset + header + Int(event.len))]
                if isOfInterest(event, name: name) { isChange = true }
                offset += header + Int(event.len)
            }
            if isChange { schedule() }
        }
    }

    private func isOfInterest(_ event: inotify_event, name: Slice<UnsafeMutableRawBufferPointer>) -> Bool {
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
            overflows += 1
            overflowed = true
            return true
        }
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

    private func schedule() {
        let now = clock.monotonicNanoseconds
        let latest = deadline ?? now.addingClamped(patience.nanoseconds)
        deadline = latest
        timer?.arm(at: min(latest, now.addingClamped(quiet.nanoseconds)))
    }

    private func tell() {
        deadline = nil
        var failure: SystemError?
        do throws(SystemError) { try watch() } catch { failure = error }
        let change = Change(overflowed: overflowed, failure: failure)
        overflowed = false
        handler(change)
    }
}
