import CLinux
import Glibc

/// A file in memory without a name, and its bytes as this process sees them. What lies there outlives the process, at
/// whichever instruction it ends, as long as somebody has a descriptor of the file.
public final class MemoryFile {
    /// The file, to be kept by somebody who stays.
    public let descriptor: OwnedDescriptor
    /// Its bytes: `size` of them, for as long as this is there.
    public let memory: UnsafeMutableRawPointer
    /// Bytes. Those that nobody wrote take no memory.
    public let size: Int

    /// A new one, of zeros. Its name is for those who look into /proc.
    public init(_ name: String, size: Int) throws(SystemError) {
        let file = try OwnedDescriptor("make a file in memory") { waymark_memory_file(name) }
        let number = file.number
        try retrying("size a file in memory") { ftruncate(number, off_t(size)) }
        memory = try Self.map(number, size)
        descriptor = file
        self.size = size
    }

    /// One that another process made; EINVAL where it is no such file. Its size is to be looked at before its bytes.
    public init(adopting file: consuming OwnedDescriptor) throws(SystemError) {
        var status = stat()
        let number = file.number
        try retrying("examine a file in memory") { fstat(number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
            throw SystemError("use a file in memory that was kept", code: EINVAL)
        }
        memory = try Self.map(number, Int(status.st_size))
        descriptor = file
        size = Int(status.st_size)
    }

    private static func map(_ number: Int32, _ size: Int) throws(SystemError) -> UnsafeMutableRawPointer {
        let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, number, 0)
        guard let mapped, mapped != UnsafeMutableRawPointer(bitPattern: -1) else {
            throw SystemError("map a file in memory")
        }
        // What clients say and are told has no place in a core dump. Where that cannot be had it is as with the rest.
        _ = madvise(mapped, size, MADV_DONTDUMP)
        return mapped
    }

    deinit { munmap(memory, size) }
}
