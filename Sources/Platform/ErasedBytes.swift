import Glibc

// Buffers that are used again and again retain what they had: a shorter content overwrites only the beginning of a longer one.
// A position or a secret would stay in the memory of a daemon whose data is locked, where nothing of it may be found.

extension [UInt8] {
    /// Removes all bytes after overwriting them, and retains the capacity.
    public mutating func eraseAll() {
        erase(indices)
        removeAll(keepingCapacity: true)
    }

    /// Overwrites a range of bytes with zeros.
    public mutating func erase(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        // Unlike memset(3), it is never left out, although nothing reads the bytes afterwards.
        withUnsafeMutableBytes { bytes in
            let part = UnsafeMutableRawBufferPointer(rebasing: bytes[range])
            if let base = part.baseAddress { explicit_bzero(base, part.count) }
        }
    }
}
