import Authorization
import Cryptography
import Glibc
import Location
import Platform
import Synchronization

/// The file in the state directory that preserves the rights of apps in use, and screen locks, over a restart of the
/// daemon.
///
/// It is overwritten in place and never synchronized, because it only has to survive the process and not the machine.
/// It contains, with little-endian numbers: a magic number (8 bytes), the length of what follows (4), the boot identity
/// (36), the time of the last write (8), the number of users with a screen that was declared as locked (2) and their ids
/// (4 each), the same for those that logind reports, the number of apps (2), the apps, and 16 bytes of BLAKE2b over all of that. It contains no position.
final class ContinuationFile: Sendable {
    /// The content of the file.
    struct Content: Equatable {
        /// The boot identity.
        var boot: String
        /// When it was last written, in nanoseconds of CLOCK_MONOTONIC.
        var heardAt: UInt64
        var apps: [AppID: Continuation]
        var screens = ScreenLocks()

        /// Whether there is nothing to preserve.
        var isEmpty: Bool { apps.isEmpty && screens.isEmpty }
    }

    /// The result of reading the file.
    enum Found: Equatable {
        case nothing
        case content(Content)
        /// The file cannot be used, for this reason in words.
        case unusable(String)
    }

    /// The file's name in the state directory.
    static let name = "continuation.state"
    private static let signature = Array("WMCON 2\n".utf8)
    private static let headSize = signature.count + 4
    /// The bytes of the identifier of a boot.
    private static let bootSize = 36
    /// The largest size in bytes. The rights of apps that do not fit are not preserved.
    static let limit = 64 << 10

    private let directory: String
    private var path: String { "\(directory)/\(Self.name)" }
    /// The number of the latest write.
    private let written = Mutex<UInt64>(0)

    init(stateDirectory: String) {
        directory = stateDirectory
    }

    // The file

    /// Reads the file.
    func load() -> Found {
        do throws(SystemError) {
            let name = path
            // O_NONBLOCK, because a FIFO with this name would block the start.
            let file = try OwnedDescriptor("open", subject: name) {
                open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            }
            var status = stat()
            try retrying("examine", subject: name) { fstat(file.number, &status) }
            guard status.st_mode & S_IFMT == S_IFREG else { return .unusable("it is no regular file") }
            guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
                return .unusable("others may have written it")
            }
            if status.st_size == 0 { return .nothing }
            let bytes = try BoundedFile.bytes(from: file.number, limit: Self.limit, subject: name)
            guard let content = Self.content(of: bytes) else {
                return .unusable("it is damaged or of another release")
            }
            return .content(content)
        } catch {
            return error.code == ENOENT ? .nothing : .unusable("it cannot be read: \(error)")
        }
    }

    /// Renames an unusable file, and returns its new name.
    func setAside() throws(SystemError) -> String {
        try SetAside.rename(Self.name, in: directory, noun: "the saved state of apps in use")
    }

    /// Writes the content, unless one with a greater number was already written. An empty content empties the file.
    func save(_ content: Content, number: UInt64) throws(SystemError) {
        let bytes = content.isEmpty ? [] : Self.bytes(of: content)
        try written.withLock { written throws(SystemError) in
            guard number > written else { return }
            written = number
            let name = path
            let file = try OwnedDescriptor("open", subject: name) {
                open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            }
            var done = 0
            while done < bytes.count {
                done += try retrying("write", subject: name) {
                    bytes[done...].withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, off_t(done)) }
                }
            }
            try retrying("shorten", subject: name) { ftruncate(file.number, off_t(bytes.count)) }
        }
    }

    // Its bytes

    static func bytes(of content: Content) -> [UInt8] {
        var body = PackedBytes()
        let boot = content.boot.utf8.prefix(bootSize)
        body.append(bare: boot)
        body.append(bare: repeatElement(0, count: bootSize - boot.count))
        body.append(content.heardAt)
        for users in [content.screens.declared, content.screens.reported] {
            body.append(UInt16(clamping: users.count))
            for user in users.sorted().prefix(Int(UInt16.max)) { body.append(user) }
        }
        var apps: [[UInt8]] = []
        var size = headSize + body.bytes.count + 2 + Checksum.size
        for (app, continuation) in content.apps.sorted(by: { ($0.key.uid, $0.key.name) < ($1.key.uid, $1.key.name) }) {
            let bytes = bytes(of: app, continuation)
            guard size + bytes.count <= limit, apps.count < UInt16.max else { continue }
            size += bytes.count
            apps.append(bytes)
        }
        body.append(UInt16(apps.count))
        body.append(bare: apps.joined())
        var file = PackedBytes(signature)
        file.append(UInt32(body.bytes.count + Checksum.size))
        file.append(bare: body.bytes)
        return Checksum.appended(to: Array(file.bytes))
    }

    private static func bytes(of app: AppID, _ continuation: Continuation) -> [UInt8] {
        var packed = PackedBytes()
        packed.append(app.uid)
        packed.append(UInt16(clamping: app.name.utf8.count))
        packed.append(bare: app.name.utf8.prefix(Int(UInt16.max)))
        packed.append(continuation.decidedAt.microseconds)
        packed.append(UInt8((continuation.isOnce ? 1 : 0) | (continuation.hasTemporaryFullAccuracy ? 2 : 0)))
        packed.append(continuation.outOfUseSince ?? .max)
        packed.append(continuation.heldUntil ?? .max)
        for marks in [continuation.processes, continuation.holders] {
            packed.append(UInt16(clamping: marks.count))
            for mark in marks.sorted(by: { $0.processID < $1.processID }).prefix(Int(UInt16.max)) {
                packed.append(mark.processID)
                packed.append(mark.startTime)
            }
        }
        return Array(packed.bytes)
    }

    static func content(of bytes: [UInt8]) -> Content? {
        guard bytes.starts(with: signature) else { return nil }
        var head = PackedBytes(Array(bytes.dropFirst(signature.count)))
        // A longer earlier content may have left bytes after the end.
        guard let length = head.next(UInt32.self), length <= head.bytes.count,
            let body = Checksum.removed(from: Array(bytes.prefix(headSize + Int(length))))
        else { return nil }
        var packed = PackedBytes(Array(body.dropFirst(headSize)))
        guard let boot = packed.text(bootSize), let heardAt = packed.next(UInt64.self),
            let declared = packed.users(), let reported = packed.users(), let count = packed.next(UInt16.self)
        else { return nil }
        var content = Content(
            boot: String(boot.prefix { $0 != "\0" }), heardAt: heardAt, apps: [:],
            screens: ScreenLocks(declared: declared, reported: reported))
        for _ in 0..<count {
            guard let (app, continuation) = packed.app() else { return nil }
            content.apps[app] = continuation
        }
        return packed.bytes.isEmpty ? content : nil
    }
}

extension PackedBytes {
    fileprivate mutating func text(_ count: Int) -> String? {
        nextBytes(count).flatMap { String(validating: $0, as: UTF8.self) }
    }

    fileprivate mutating func app() -> (AppID, Continuation)? {
        guard let uid = next(UInt32.self), let length = next(UInt16.self), let name = text(Int(length)),
            let decidedAt = next(Int64.self), let flags = next(UInt8.self), flags < 4,
            let outOfUseSince = next(UInt64.self), let heldUntil = next(UInt64.self),
            let processes = marks(), let holders = marks()
        else { return nil }
        return (
            AppID(uid: uid, name: name),
            Continuation(
                decidedAt: UTCTime(microseconds: decidedAt), isOnce: flags & 1 != 0,
                hasTemporaryFullAccuracy: flags & 2 != 0, processes: processes, holders: holders,
                outOfUseSince: outOfUseSince == .max ? nil : outOfUseSince,
                heldUntil: heldUntil == .max ? nil : heldUntil)
        )
    }

    fileprivate mutating func users() -> Set<UInt32>? {
        guard let count = next(UInt16.self) else { return nil }
        var users: Set<UInt32> = []
        for _ in 0..<count {
            guard let user = next(UInt32.self) else { return nil }
            users.insert(user)
        }
        return users
    }

    private mutating func marks() -> Set<Continuation.Mark>? {
        guard let count = next(UInt16.self) else { return nil }
        var marks: Set<Continuation.Mark> = []
        for _ in 0..<count {
            guard let processID = next(Int32.self), let startTime = next(UInt64.self) else { return nil }
            marks.insert(Continuation.Mark(processID: processID, startTime: startTime))
        }
        return marks
    }
}
