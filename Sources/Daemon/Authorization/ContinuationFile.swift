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
        var body: [UInt8] = Array(content.boot.utf8.prefix(36))
        body += [UInt8](repeating: 0, count: 36 - body.count)
        append(content.heardAt, to: &body)
        for users in [content.screens.declared, content.screens.reported] {
            append(UInt16(clamping: users.count), to: &body)
            for user in users.sorted().prefix(Int(UInt16.max)) { append(user, to: &body) }
        }
        var apps: [[UInt8]] = []
        var size = headSize + body.count + 2 + Checksum.size
        for (app, continuation) in content.apps.sorted(by: { ($0.key.uid, $0.key.name) < ($1.key.uid, $1.key.name) }) {
            let bytes = bytes(of: app, continuation)
            guard size + bytes.count <= limit, apps.count < UInt16.max else { continue }
            size += bytes.count
            apps.append(bytes)
        }
        append(UInt16(apps.count), to: &body)
        body += apps.joined()
        var bytes = signature
        append(UInt32(body.count + Checksum.size), to: &bytes)
        return Checksum.appended(to: bytes + body)
    }

    private static func bytes(of app: AppID, _ continuation: Continuation) -> [UInt8] {
        var bytes: [UInt8] = []
        append(app.uid, to: &bytes)
        append(UInt16(clamping: app.name.utf8.count), to: &bytes)
        bytes += Array(app.name.utf8.prefix(Int(UInt16.max)))
        append(UInt64(bitPattern: continuation.decidedAt.microseconds), to: &bytes)
        bytes.append((continuation.isOnce ? 1 : 0) | (continuation.hasTemporaryFullAccuracy ? 2 : 0))
        append(continuation.outOfUseSince ?? .max, to: &bytes)
        append(continuation.heldUntil ?? .max, to: &bytes)
        for marks in [continuation.processes, continuation.holders] {
            append(UInt16(clamping: marks.count), to: &bytes)
            for mark in marks.sorted(by: { $0.processID < $1.processID }).prefix(Int(UInt16.max)) {
                append(UInt32(bitPattern: mark.processID), to: &bytes)
                append(mark.startTime, to: &bytes)
            }
        }
        return bytes
    }

    static func content(of bytes: [UInt8]) -> Content? {
        guard bytes.starts(with: signature) else { return nil }
        var head = Reader(rest: bytes.dropFirst(signature.count))
        // A longer earlier content may have left bytes after the end.
        guard let length = head.number(UInt32.self), length <= head.rest.count,
            let body = Checksum.removed(from: Array(bytes.prefix(headSize + Int(length))))
        else { return nil }
        var reader = Reader(rest: body.dropFirst(headSize))
        guard let boot = reader.text(36), let heardAt = reader.number(UInt64.self),
            let declared = reader.users(), let reported = reader.users(), let count = reader.number(UInt16.self)
        else { return nil }
        var content = Content(
            boot: String(boot.prefix { $0 != "\0" }), heardAt: heardAt, apps: [:],
            screens: ScreenLocks(declared: declared, reported: reported))
        for _ in 0..<count {
            guard let (app, continuation) = reader.app() else { return nil }
            content.apps[app] = continuation
        }
        return reader.rest.isEmpty ? content : nil
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
            let size = Number.bitWidth / 8
            guard rest.count >= size else { return nil }
            defer { rest = rest.dropFirst(size) }
            return rest.prefix(size).reversed().reduce(0) { $0 << 8 | Number($1) }
        }

        mutating func text(_ count: Int) -> String? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return String(validating: rest.prefix(count), as: UTF8.self)
        }

        mutating func app() -> (AppID, Continuation)? {
            guard let uid = number(UInt32.self), let length = number(UInt16.self), let name = text(Int(length)),
                let decidedAt = number(UInt64.self), let flags = number(UInt8.self), flags < 4,
                let outOfUseSince = number(UInt64.self), let heldUntil = number(UInt64.self),
                let processes = marks(), let holders = marks()
            else { return nil }
            return (
                AppID(uid: uid, name: name),
                Continuation(
                    decidedAt: UTCTime(microseconds: Int64(bitPattern: decidedAt)), isOnce: flags & 1 != 0,
                    hasTemporaryFullAccuracy: flags & 2 != 0, processes: processes, holders: holders,
                    outOfUseSince: outOfUseSince == .max ? nil : outOfUseSince,
                    heldUntil: heldUntil == .max ? nil : heldUntil)
            )
        }

        mutating func users() -> Set<UInt32>? {
            guard let count = number(UInt16.self) else { return nil }
            var users: Set<UInt32> = []
            for _ in 0..<count {
                guard let user = number(UInt32.self) else { return nil }
                users.insert(user)
            }
            return users
        }

        private mutating func marks() -> Set<Continuation.Mark>? {
            guard let count = number(UInt16.self) else { return nil }
            var marks: Set<Continuation.Mark> = []
            for _ in 0..<count {
                guard let processID = number(UInt32.self), let startTime = number(UInt64.self) else { return nil }
                marks.insert(Continuation.Mark(processID: Int32(bitPattern: processID), startTime: startTime))
            }
            return marks
        }
    }
}
