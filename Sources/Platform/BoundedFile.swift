import Glibc

/// A small file, read whole: of /proc, of /sys, or of a folder where others may write.
public enum BoundedFile {
    /// The bytes of a file; EFBIG where it has more than the limit.
    public static func bytes(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
        // Without waiting: a FIFO would hold the caller.
        let file = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        return try bytes(from: file.number, limit: limit, subject: path)
    }

    /// The bytes that an open file has from here on; EFBIG where they are more than the limit.
    public static func bytes(
        from descriptor: Int32, limit: Int, subject: String = ""
    ) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var capacity = min(limit + 1, 4_096)
        while bytes.count <= limit {
            var count = 0
            var failure: SystemError?
            let chunk = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
                do throws(SystemError) {
                    count = try retrying("read", subject: subject) {
                        read(descriptor, buffer.baseAddress, buffer.count)
                    }
                } catch {
                    failure = error
                }
                initialized = count
            }
            if let failure { throw failure }
            if count == 0 { return bytes }
            if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
            capacity = min(limit + 1, 65_536)
        }
        throw SystemError("read", code: EFBIG, subject: subject)
    }
}
