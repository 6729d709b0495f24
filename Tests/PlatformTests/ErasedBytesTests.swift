import Platform
import Testing

struct ErasedBytesTests {
    /// The memory of an array, from its first byte to the end of its capacity.
    private func memory(of bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return [] }
            return Array(UnsafeRawBufferPointer(start: base, count: bytes.capacity))
        }
    }

    @Test func `an erased buffer retains its memory, and nothing of its bytes`() {
        var bytes = [UInt8](repeating: 7, count: 1_000)
        let capacity = bytes.capacity
        #expect(memory(of: bytes).contains(7))
        bytes.eraseAll()
        #expect(bytes.isEmpty && bytes.capacity == capacity)
        #expect(!memory(of: bytes).contains(7))
    }

    @Test func `a range is overwritten, and the bytes around it are not`() {
        var bytes = [UInt8](1...10)
        bytes.erase(2..<5)
        bytes.erase(7..<7)
        #expect(bytes == [1, 2, 0, 0, 0, 6, 7, 8, 9, 10])
    }

    @Test func `a copy of an erased buffer is unchanged`() {
        var bytes = [UInt8](1...10)
        let copy = bytes
        bytes.eraseAll()
        #expect(copy == [UInt8](1...10))
    }
}
