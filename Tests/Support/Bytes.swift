import Glibc

/// Searches in bytes, fast also without optimization.
public enum Bytes {
    /// Whether a byte string is somewhere in others.
    public static func contains(_ needle: [UInt8], in bytes: UnsafeRawBufferPointer) -> Bool {
        offset(of: needle, in: bytes, from: 0) != nil
    }

    /// Whether a byte string is somewhere in others.
    public static func contains(_ needle: [UInt8], in bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { contains(needle, in: $0) }
    }

    /// Whether a number is in a text, not as the end of a longer one: 15.419 is not in 415.419.
    public static func containsNumber(_ number: String, in bytes: [UInt8]) -> Bool {
        let needle = Array(number.utf8)
        return bytes.withUnsafeBytes { bytes in
            var start = 0
            while let found = offset(of: needle, in: bytes, from: start) {
                let before = found > 0 ? bytes[found - 1] : 0
                if !(0x30...0x39).contains(before), before != UInt8(ascii: ".") { return true }
                start = found + 1
            }
            return false
        }
    }

    private static func offset(of needle: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let first = needle.first, let base = bytes.baseAddress else { return nil }
        var offset = start
        while offset + needle.count <= bytes.count {
            let rest = bytes.count - needle.count - offset + 1
            guard let found = memchr(base + offset, Int32(first), rest) else { return nil }
            offset = UnsafeRawPointer(found) - base
            if memcmp(found, needle, needle.count) == 0 { return offset }
            offset += 1
        }
        return nil
    }
}
