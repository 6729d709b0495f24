import CLinux
import Glibc

/// A file in memory without a name, in which a process leaves something for the next one: it lasts as long as somebody has a
/// descriptor of it. Nothing of it is in a core dump.
public enum MemoryFile {
    /// A new file with this content. Its name is for those who look into /proc.
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

    /// Takes the content of a file that another process made, and leaves it empty: nobody takes the same content again,
    /// whatever becomes of this process. EINVAL where it is no such file, EFBIG where it is longer than the limit.
    public static func readContent(
        of file: borrowing OwnedDescriptor, limit: Int
    ) throws(SystemError) -> [UInt8] {
        var status = stat()
        let number = file.number
        try retrying("examine a file in memory") { fstat(number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError("use a file in memory", code: EINVAL) }
        // The descriptor stands where the earlier process has written last.
        try retrying("read a file in memory") { Int32(clamping: lseek(number, 0, SEEK_SET)) }
        let bytes = try BoundedFile.bytes(from: number, limit: limit)
        try retrying("empty a file in memory") { ftruncate(number, 0) }
        return bytes
    }
}
