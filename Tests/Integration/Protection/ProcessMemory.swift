import Glibc
import Platform
import TestSupport

/// A copy of the memory that a process may write to: what a core dump of it has, and more. Pages of zeros are left out.
struct ProcessMemory {
    /// Pages that follow each other.
    private var runs: [[UInt8]] = []

    /// Whether the memory can be copied: that of a program with a sanitizer has a shadow of terabytes.
    static let isReadable = !Sanitizer.isActive

    init(of process: pid_t) throws {
        let memory = try OwnedDescriptor("open", subject: "mem") { open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC) }
        let maps = String(
            decoding: try BoundedFile.bytes(of: "/proc/\(process)/maps", limit: 1 << 22), as: UTF8.self)
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            guard words.count >= 2, words[1].hasPrefix("rw") else { continue }
            let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard ends.count == 2 else { continue }
            let bytes = [UInt8](unsafeUninitializedCapacity: Int(ends[1] - ends[0])) { buffer, count in
                count = max(0, pread(memory.number, buffer.baseAddress, buffer.count, off_t(ends[0])))
            }
            bytes.withUnsafeBytes { append($0) }
        }
    }

    /// Whether a byte string is in the memory.
    func contains(_ needle: [UInt8]) -> Bool { runs.contains { Bytes.contains(needle, in: $0) } }

    /// Whether each of the byte strings is in the memory of a process.
    static func contains(_ needles: [[UInt8]], in process: pid_t) throws -> [Bool] {
        let memory = try ProcessMemory(of: process)
        return needles.map { memory.contains($0) }
    }

    private mutating func append(_ region: UnsafeRawBufferPointer) {
        let page = 4_096
        let zeros = [UInt8](repeating: 0, count: page)
        var start = 0
        for offset in stride(from: 0, to: region.count, by: page) {
            let count = min(page, region.count - offset)
            guard let base = region.baseAddress, memcmp(base + offset, zeros, count) == 0 else { continue }
            if start < offset { runs.append(Array(region[start..<offset])) }
            start = offset + count
        }
        if start < region.count { runs.append(Array(region[start...])) }
    }
}
