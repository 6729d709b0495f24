import Glibc

/// What a symbolic link says, readlink(2).
public enum LinkTarget {
    /// The target's bytes as text; nil where they cannot be read, are longer than any path, or are no UTF-8.
    public static func read(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(validating: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
