import Glibc
import Platform

/// When something was last read, in a file in memory: what lies there outlives the process.
@DaemonActor
final class ReadMark {
    private let kept: MemoryFile

    private static let magic: UInt64 = 0x4B52_414D_4D59_4157
    private static let timeOffset = 8
    private static let size = 4_096

    /// One of nothing that was read.
    init() throws(SystemError) {
        kept = try MemoryFile("waymark-read", size: Self.size)
        kept.memory.storeBytes(of: Self.magic, as: UInt64.self)
    }

    /// That of an earlier process.
    init(adopting file: consuming OwnedDescriptor) throws(SystemError) {
        kept = try MemoryFile(adopting: file)
        guard kept.size == Self.size, kept.memory.load(as: UInt64.self) == Self.magic else {
            throw SystemError("read a file in memory", code: EINVAL)
        }
    }

    /// The descriptor of its file, to be put into the store.
    var descriptor: Int32 { kept.descriptor.number }

    /// Nanoseconds of CLOCK_MONOTONIC; 0 where nothing was read.
    var lastRead: UInt64 {
        get { kept.memory.load(fromByteOffset: Self.timeOffset, as: UInt64.self) }
        // One aligned word: never half of it.
        set { kept.memory.storeBytes(of: newValue, toByteOffset: Self.timeOffset, as: UInt64.self) }
    }
}
