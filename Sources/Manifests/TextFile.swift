import Authorization
import CLinux
import Glibc
import Platform
import Synchronization

/// Where the texts of users' own manifests are until a person is asked: a file of the daemon's without a name, which ends
/// with it. In memory is only by what processes are known.
///
/// They are not read again from the home when they are needed: the home may hang, and what it has then may be other texts
/// than those that were checked. Where the file cannot be written, the texts of a few homes stay in memory.
public final class TextFile: Sendable {
    /// How many bytes of texts stay in memory where there is no room in the file.
    public static let mostInMemory = 1 << 20
    /// Places in the file begin and end with the blocks of most file systems, so that what is given up takes no room.
    private static let block = 4_096

    private let directory: String?
    private let file = Mutex<OwnedDescriptor?>(nil)
    /// The file's number, which is good as long as this object; -1 until it is open.
    private let descriptor = Atomic<Int32>(-1)
    private let room = Mutex(Room())
    /// Whether the last read failed, which is logged once: an app may ask again and again.
    private let hasFailed = Atomic<Bool>(false)

    /// What is taken.
    private struct Room: Sendable {
        var free: [Range<Int>] = []
        var end = 0
        var inMemory = 0

        /// Takes the first place of this size.
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

        /// Gives a place back; returns where the file ends then if it is shorter, nil otherwise.
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

    /// A file in this directory, once it is needed; nil for none, so that all texts stay in memory as far as there is room.
    public init(directory: String?) {
        self.directory = directory
    }

    /// A file that is open already, for tests of one that cannot be written.
    init(adopting file: consuming OwnedDescriptor) {
        directory = nil
        descriptor.store(file.number, ordering: .relaxed)
        var adopted: OwnedDescriptor? = consume file
        self.file.withLock { swap(&$0, &adopted) }
    }

    /// The number of the file, nil where it was not needed yet.
    var number: Int32? {
        let number = descriptor.load(ordering: .acquiring)
        return number < 0 ? nil : number
    }

    /// The number of the file, which is made where it was not needed yet.
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
            // Some file systems have no files without a name.
            guard error.code == EOPNOTSUPP || error.code == EISDIR || error.code == EINVAL else { throw error }
        }
        let path = "\(directory)/manifest-texts.\(getpid())"
        let file = try OwnedDescriptor("make a file", subject: path) {
            Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        unlink(path)
        return file
    }

    /// How long the file is, in bytes.
    var size: Int { room.withLock(\.end) }

    /// Stores bytes until nobody has the returned object any more.
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
        // Within the lock: nobody is to write there before it is free.
        room.withLock { room in
            let end = room.release(place)
            // Where neither can be done the room is used again all the same, and the file ends with the daemon.
            if let end {
                _ = ftruncate(number, off_t(end))
            } else {
                _ = waymark_punch_hole(number, Int64(place.lowerBound), Int64(place.count))
            }
        }
    }

    fileprivate func forget(_ count: Int) { room.withLock { $0.inMemory -= count } }
}

/// A place in the file, which is free again once nobody has it any more.
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

/// Bytes that had no place in the file.
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
