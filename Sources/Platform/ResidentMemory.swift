import CLinux
import Glibc

/// What of the process lies in memory, proc(5).
public enum ResidentMemory {
    /// Lets go of the pages of program and libraries that were needed recently and may not be again: to be called
    /// when the daemon has started and when it becomes idle. They are clean copies of files: what is needed comes back
    /// from the page cache at the next touch, and what is not stops counting. madvise(2) with MADV_DONTNEED.
    public static func releaseCleanPages() {
        guard let maps = fopen("/proc/self/maps", "re") else { return }
        defer { fclose(maps) }
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), maps) != nil {
            guard let range = cleanRange(line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))) else { continue }
            _ = madvise(UnsafeMutableRawPointer(bitPattern: range.start), range.count, MADV_DONTNEED)
        }
    }

    /// Gives back to the kernel the pages of the heap that hold nothing any more, malloc_trim(3): to be called when much was
    /// needed briefly, by a thread that may take some milliseconds.
    public static func releaseFreedMemory() { _ = malloc_trim(0) }

    /// The addresses of a line's mapping, where it is a private, unwritable mapping of a file; nil for any other, whose
    /// pages hold what no file does.
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
