import Glibc
import Platform
import TestSupport
import Testing

@Suite struct MemoryFileTests {
    @Test(arguments: [1, 5_000, 3 << 20])
    func `one process reads what another one left, once`(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let file = try MemoryFile.make("waymark-test", containing: bytes)
        // The next process has another descriptor of the same file.
        let next = try OwnedDescriptor("dup") { dup(file.number) }
        #expect(try MemoryFile.readContent(of: next, limit: count) == bytes)
        #expect(try MemoryFile.readContent(of: next, limit: count).isEmpty)
        #expect(try MemoryFile.readContent(of: file, limit: count).isEmpty)
    }

    @Test func `what is longer than the limit, or no file, is not taken`() throws {
        let file = try MemoryFile.make("waymark-test", containing: [1, 2, 3])
        #expect(throws: SystemError("read", code: EFBIG)) { try MemoryFile.readContent(of: file, limit: 2) }
        let pipe = try Pipe()
        #expect(throws: SystemError.self) { try MemoryFile.readContent(of: pipe.reading, limit: 2) }
    }

    @Test func `numbers and strings are read as they were written, and nothing that is not there`() {
        var packed = PackedBytes()
        packed.append(UInt8(7))
        packed.append(UInt64.max - 1)
        packed.append([1, 2, 3] as [UInt8])
        packed.append([UInt8]())
        #expect(packed.next(UInt8.self) == 7)
        #expect(packed.next(UInt64.self) == UInt64.max - 1)
        #expect(packed.nextString() == [1, 2, 3])
        #expect(packed.nextString() == [])
        #expect(packed.bytes.isEmpty && packed.next(UInt8.self) == nil && packed.nextString() == nil)
        var short = PackedBytes([4, 0, 0, 0, 1, 2, 3])
        #expect(short.nextString() == nil)
    }
}
