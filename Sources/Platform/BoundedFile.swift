import Glibc

/// Reads a small file as a whole, with a size limit: files of /proc and /sys, and files in folders to which others can
/// write.
public enum BoundedFile {
    /// The content of a file. EFBIG if it is longer than the limit.
    public static func bytes(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
        // O_NONBLOCK, because opening a FIFO would otherwise block.
        let file = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        return try bytes(from: file.number, limit: limit, subject: path)
    }

    /// The remaining content of an open file. EFBIG if it is longer than the limit.
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
