import Glibc

/// The target of a symbolic link, readlink(2).
public enum LinkTarget {
    /// The target; nil if it cannot be read, is longer than any path, or is not UTF-8.
    public static func read(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(validating: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
