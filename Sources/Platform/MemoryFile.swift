import CLinux
import Glibc

/// An unnamed file in memory that passes data from one process to the next. It exists while any process, or the service
/// manager, has a descriptor of it. Its content is in no core dump.
public enum MemoryFile {
    /// A new file with this content. The name is only visible in /proc.
    public static func make(_ name: String, containing bytes: some Collection<UInt8>) throws(SystemError)
        -> OwnedDescriptor
    {
        let file = try OwnedDescriptor("make a file in memory") { waymark_memory_file(name) }
        let number = file.number
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = try retrying("write a file in memory") {
                rest.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(count)
        }
        return file
    }

    /// Returns the content of a file that another process made, and empties the file, so that the content is used once
    /// only, even if this process fails. EINVAL if it is no such file, EFBIG if it is longer than the limit.
    public static func readContent(
        of file: borrowing OwnedDescriptor, limit: Int
    ) throws(SystemError) -> [UInt8] {
        var status = stat()
        let number = file.number
        try retrying("examine a file in memory") { fstat(number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError("use a file in memory", code: EINVAL) }
        // The file offset is where the earlier process stopped writing.
        try retrying("read a file in memory") { Int32(clamping: lseek(number, 0, SEEK_SET)) }
        let bytes = try BoundedFile.bytes(from: number, limit: limit)
        try retrying("empty a file in memory") { ftruncate(number, 0) }
        return bytes
    }
}
