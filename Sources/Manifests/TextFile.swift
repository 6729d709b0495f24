import Authorization
import CLinux
import Glibc
import Platform
import Synchronization

/// Stores the texts of users' own manifests until they are needed for a prompt: in an unnamed file of the daemon, which
/// disappears with it. Only the identity keys of the manifests are in memory.
///
/// The texts are not read again from the home, because it may hang, and because its files may have changed since they
/// were checked. If the file cannot be written, the texts of a few homes stay in memory.
public final class TextFile: Sendable {
    /// The most bytes of texts that stay in memory if the file has no room.
    public static let mostInMemory = 1 << 20
    /// Ranges in the file are aligned to the block size of most file systems, so that released ranges occupy no space.
    private static let block = 4_096

    private let directory: String?
    private let file = Mutex<OwnedDescriptor?>(nil)
    /// The file's descriptor, valid as long as this object exists; -1 until it is opened.
    private let descriptor = Atomic<Int32>(-1)
    private let room = Mutex(Room())
    /// Whether the last read failed. A failure is logged once, because an app may cause many reads.
    private let hasFailed = Atomic<Bool>(false)

    /// The allocation of the file's ranges.
    private struct Room: Sendable {
        var free: [Range<Int>] = []
        var end = 0
        var inMemory = 0

        /// Reserves the first free range of this size.
        mutating func reserve(_ size: Int) -> Int {
            if let index = free.firstIndex(where: { $0.count >= size }) {
                let start = free[index].lowerBound
                free[index] = (start + size)..<free[index].upperBound
                if free[index].isEmpty { free.remove(at: index) }
                return start
            }
            defer { end += size }
            return end
        }

        /// Releases a range. Returns the new end of the file if it becomes shorter, otherwise nil.
        mutating func release(_ place: Range<Int>) -> Int? {
            let index = free.firstIndex { $0.lowerBound > place.lowerBound } ?? free.endIndex
            free.insert(place, at: index)
            if index + 1 < free.count, free[index].upperBound == free[index + 1].lowerBound {
                free[index] = free[index].lowerBound..<free.remove(at: index + 1).upperBound
            }
            if index > 0, free[index - 1].upperBound == free[index].lowerBound {
                free[index - 1] = free[index - 1].lowerBound..<free.remove(at: index).upperBound
            }
            guard let last = free.last, last.upperBound == end else { return nil }
            free.removeLast()
            end = last.lowerBound
            return end
        }
    }

    /// A file in this directory, opened when it is needed. Without a directory all texts stay in memory, up to the
    /// limit.
    public init(directory: String?) {
        self.directory = directory
    }

    /// Uses a file that is already open, for tests of write errors.
    init(adopting file: consuming OwnedDescriptor) {
        directory = nil
        descriptor.store(file.number, ordering: .relaxed)
        var adopted: OwnedDescriptor? = consume file
        self.file.withLock { swap(&$0, &adopted) }
    }

    /// The file's descriptor; nil if it was not needed yet.
    var number: Int32? {
        let number = descriptor.load(ordering: .acquiring)
        return number < 0 ? nil : number
    }

    /// The file's descriptor. Opens the file if necessary.
    private func openedNumber() throws(SystemError) -> Int32 {
        try file.withLock { file throws(SystemError) in
            if let number { return number }
            guard let directory else { throw SystemError("store texts of manifests", code: ENOSPC) }
            let made = try Self.open(in: directory)
            let number = made.number
            file = consume made
            descriptor.store(number, ordering: .releasing)
            return number
        }
    }

    private static func open(in directory: String) throws(SystemError) -> OwnedDescriptor {
        do throws(SystemError) {
            return try OwnedDescriptor("make a file without a name", subject: directory) {
                waymark_open_unnamed_file(directory)
            }
        } catch {
            // Some file systems do not support unnamed files.
            guard error.code == EOPNOTSUPP || error.code == EISDIR || error.code == EINVAL else { throw error }
        }
        let path = "\(directory)/manifest-texts.\(getpid())"
        let file = try OwnedDescriptor("make a file", subject: path) {
            Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        unlink(path)
        return file
    }

    /// The length of the file in bytes.
    var size: Int { room.withLock(\.end) }

    /// Stores bytes until the returned object is released.
    public func store(_ bytes: [UInt8]) throws(SystemError) -> any StoredBytes {
        do throws(SystemError) {
            return try write(bytes)
        } catch {
            let fits = room.withLock { room in
                guard room.inMemory + bytes.count <= Self.mostInMemory else { return false }
                room.inMemory += bytes.count
                return true
            }
            guard fits else { throw error }
            return MemoryPlace(self, bytes)
        }
    }

    private func write(_ bytes: [UInt8]) throws(SystemError) -> FilePlace {
        let number = try openedNumber()
        let size = (bytes.count + Self.block - 1) / Self.block * Self.block
        let start = room.withLock { $0.reserve(size) }
        do throws(SystemError) {
            var done = 0
            while done < bytes.count {
                let count = try retrying("store texts of manifests") {
                    bytes[done...].withUnsafeBytes { pwrite(number, $0.baseAddress, $0.count, off_t(start + done)) }
                }
                guard count > 0 else { throw SystemError("store texts of manifests", code: ENOSPC) }
                done += count
            }
        } catch {
            release(start..<(start + size))
            throw error
        }
        return FilePlace(self, start..<(start + size))
    }

    fileprivate func read(at offset: Int, count: Int) -> [UInt8]? {
        guard let number else { return nil }
        do throws(SystemError) {
            var bytes = [UInt8](repeating: 0, count: count)
            var done = 0
            while done < count {
                let some = try retrying("read texts of manifests") {
                    bytes[done...].withUnsafeMutableBytes {
                        pread(number, $0.baseAddress, $0.count, off_t(offset + done))
                    }
                }
                guard some > 0 else { throw SystemError("read texts of manifests", code: EIO) }
                done += some
            }
            hasFailed.store(false, ordering: .relaxed)
            return bytes
        } catch {
            guard !hasFailed.exchange(true, ordering: .relaxed) else { return nil }
            Log.error("apps of users' own manifests cannot ask: \(error)")
            return nil
        }
    }

    fileprivate func release(_ place: Range<Int>) {
        guard let number, !place.isEmpty else { return }
        // Within the lock, so that no other text is stored there before the range is released.
        room.withLock { room in
            let end = room.release(place)
            // If both calls fail, the range is reused nevertheless, and the file ends with the daemon.
            if let end {
                _ = ftruncate(number, off_t(end))
            } else {
                _ = waymark_punch_hole(number, Int64(place.lowerBound), Int64(place.count))
            }
        }
    }

    fileprivate func forget(_ count: Int) { room.withLock { $0.inMemory -= count } }
}

/// A range of the file, which is released with this object.
private final class FilePlace: StoredBytes {
    private let file: TextFile
    private let place: Range<Int>

    init(_ file: TextFile, _ place: Range<Int>) {
        self.file = file
        self.place = place
    }

    func bytes(at offset: Int, count: Int) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset + count <= place.count else { return nil }
        return file.read(at: place.lowerBound + offset, count: count)
    }

    deinit { file.release(place) }
}

/// Bytes for which the file had no room.
private final class MemoryPlace: StoredBytes {
    private let file: TextFile
    private let bytes: [UInt8]

    init(_ file: TextFile, _ bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes
    }

    func bytes(at offset: Int, count: Int) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset + count <= bytes.count else { return nil }
        return Array(bytes[offset..<(offset + count)])
    }

    deinit { file.forget(bytes.count) }
}
