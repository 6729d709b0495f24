import CLinux
import Glibc

/// The process's resident memory, proc(5).
public enum ResidentMemory {
    /// Releases pages of the program and its libraries that may not be needed again. To be called when the daemon has
    /// started and when it becomes idle. The pages are clean copies of files: when they are needed, they are mapped
    /// from the page cache again; otherwise they no longer count as resident. madvise(2) with MADV_DONTNEED.
    public static func releaseCleanPages() {
        guard let maps = fopen("/proc/self/maps", "re") else { return }
        defer { fclose(maps) }
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), maps) != nil {
            guard let range = cleanRange(line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))) else { continue }
            _ = madvise(UnsafeMutableRawPointer(bitPattern: range.start), range.count, MADV_DONTNEED)
        }
    }

    /// Returns free pages of the heap to the kernel, malloc_trim(3). To be called after a brief need of much memory, on
    /// a thread that may block for some milliseconds.
    public static func releaseFreedMemory() { _ = malloc_trim(0) }

    /// The addresses of a line's mapping if it is a private, read-only mapping of a file. Nil for any other mapping,
    /// whose content may exist in no file.
    private static func cleanRange(_ line: [UInt8]) -> (start: UInt, count: Int)? {
        let fields = line.split(separator: UInt8(ascii: " "))
        guard fields.count >= 6, fields[5].first == UInt8(ascii: "/"), fields[1].elementsEqual("r-xp".utf8) else {
            return nil
        }
        let bounds = fields[0].split(separator: UInt8(ascii: "-"))
        guard bounds.count == 2, let start = UInt(String(decoding: bounds[0], as: UTF8.self), radix: 16),
            let end = UInt(String(decoding: bounds[1], as: UTF8.self), radix: 16), end > start
        else { return nil }
        return (start, Int(end - start))
    }
}
