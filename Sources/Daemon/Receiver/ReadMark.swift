import GPSD
import Glibc
import Platform

/// How far a connection to gpsd was read, in a file in memory: what lies there outlives the process.
///
/// The layout, in the machine's byte order: magic (8 bytes); time of the last reading (8); what was read of the next line
/// (8): its count of bytes, or one of two values for a line of which the beginning is not known; those bytes.
@DaemonActor
final class ReadMark {
    private let kept: MemoryFile

    private static let magic: UInt64 = 0x4C52_414D_4D59_4157
    private static let timeOffset = 8
    private static let countOffset = 16
    private static let bytesOffset = 24
    /// The line is to be dropped up to its end.
    private static let dropped = UInt64.max
    /// Only what was written takes memory.
    private static let size = 128 * 1024

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

    /// What was read of a line whose end has not come yet. `.dropped` while a reading is under way: a process that ends
    /// meanwhile has taken bytes out of the kernel that nobody has any more.
    var remainder: LineSplitter.Remainder {
        get {
            guard count <= UInt64(Self.size - Self.bytesOffset) else { return .dropped }
            return .beginning(
                Array(UnsafeRawBufferPointer(start: kept.memory + Self.bytesOffset, count: Int(count))))
        }
        set {
            count = Self.dropped
            guard case .beginning(let bytes) = newValue, bytes.count <= Self.size - Self.bytesOffset else { return }
            // The bound was checked in the line before.
            bytes.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress {
                    (kept.memory + Self.bytesOffset).copyMemory(from: start, byteCount: bytes.count)
                }
            }
            count = UInt64(bytes.count)
        }
    }

    private var count: UInt64 {
        get { kept.memory.load(fromByteOffset: Self.countOffset, as: UInt64.self) }
        set { kept.memory.storeBytes(of: newValue, toByteOffset: Self.countOffset, as: UInt64.self) }
    }
}
