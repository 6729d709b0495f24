import Glibc

/// A search for bytes.
public enum Bytes {
    /// Whether a byte string is somewhere in others.
    public static func contains(_ needle: [UInt8], in bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = needle.first, let start = bytes.baseAddress else { return false }
        var offset = 0
        while offset + needle.count <= bytes.count {
            let rest = bytes.count - needle.count - offset + 1
            guard let found = memchr(start + offset, Int32(first), rest) else { return false }
            if memcmp(found, needle, needle.count) == 0 { return true }
            offset = UnsafeRawPointer(found) - start + 1
        }
        return false
    }

    /// Whether a byte string is somewhere in others.
    public static func contains(_ needle: [UInt8], in bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { contains(needle, in: $0) }
    }
}
