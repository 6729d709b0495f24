import CLinux
import Glibc
import Platform

/// When something was last read, in a file in memory without a name: what lies there outlives the process, at whichever
/// instruction it ends.
@DaemonActor
final class ReadMark {
    /// The file, to be put into the store.
    let file: OwnedDescriptor
    private let memory: UnsafeMutableRawPointer

    private static let magic: UInt64 = 0x4B52_414D_4D59_4157
    private static let timeOffset = 8
    private static let size = 4_096

    /// One of nothing that was read.
    init() throws(SystemError) {
        let file = try OwnedDescriptor("make a file in memory") { waymark_memory_file("waymark-read") }
        let number = file.number
        try retrying("size a file in memory") { ftruncate(number, off_t(Self.size)) }
        memory = try Self.map(number)
        memory.storeBytes(of: Self.magic, as: UInt64.self)
        self.file = file
    }

    /// That of an earlier process.
    init(adopting file: consuming OwnedDescriptor) throws(SystemError) {
        var status = stat()
        let number = file.number
        try retrying("examine a file in memory") { fstat(number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size == Self.size else {
            throw SystemError("read a file in memory", code: EINVAL)
        }
        let memory = try Self.map(number)
        guard memory.load(as: UInt64.self) == Self.magic else {
            munmap(memory, Self.size)
            throw SystemError("read a file in memory", code: EINVAL)
        }
        self.memory = memory
        self.file = file
    }

    private static func map(_ number: Int32) throws(SystemError) -> UnsafeMutableRawPointer {
        let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0)
        guard let mapped, mapped != UnsafeMutableRawPointer(bitPattern: -1) else {
            throw SystemError("map a file in memory")
        }
        return mapped
    }

    isolated deinit {
        munmap(memory, Self.size)
    }

    /// Nanoseconds of CLOCK_MONOTONIC; 0 where nothing was read.
    var lastRead: UInt64 {
        get { memory.load(fromByteOffset: Self.timeOffset, as: UInt64.self) }
        // One aligned word: never half of it.
        set { memory.storeBytes(of: newValue, toByteOffset: Self.timeOffset, as: UInt64.self) }
    }
}
