import Glibc
import Platform
import TestSupport
import Testing

@Suite struct DuplicateIOSourceTests {
    init() { LoopThread.start() }

    @Test @DaemonActor func `what its library has closed is not heard of, though a child may hold it`() async throws {
        let pipe = try Pipe()
        var wakings = 0
        let source = try DuplicateIOSource(pipe.reading, .readable) { _ in wakings += 1 }
        // As a child has it that was forked and has not called exec yet.
        let held = try OwnedDescriptor("duplicate") { fcntl(pipe.reading, F_DUPFD_CLOEXEC, 3) }
        close(pipe.reading)
        source.cancel()
        try pipe.send()
        for _ in 0..<10 { try await elapsed(.milliseconds(5)) }
        #expect(wakings == 0 && held.number > 2)
        close(pipe.writing)
    }

    @Test @DaemonActor func `readiness is reported until the descriptor is no longer watched`() async throws {
        let pipe = try Pipe()
        defer {
            close(pipe.reading)
            close(pipe.writing)
        }
        var wakings = 0
        var source: DuplicateIOSource? = try DuplicateIOSource(pipe.reading, []) { _ in
            wakings += 1
            var byte: UInt8 = 0
            _ = read(pipe.reading, &byte, 1)
        }
        try pipe.send()
        for _ in 0..<4 { try await elapsed(.milliseconds(5)) }
        #expect(wakings == 0 && source?.interest == [])
        source?.interest = .readable
        let isReported = try await eventually { () async -> Bool in wakings == 1 }
        #expect(isReported)
        source = nil
        try pipe.send()
        for _ in 0..<4 { try await elapsed(.milliseconds(5)) }
        #expect(wakings == 1)
    }

    private struct Pipe {
        let reading: Int32
        let writing: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            _ = try retrying("make a pipe") { pipe(&ends) }
            (reading, writing) = (ends[0], ends[1])
        }

        func send() throws { _ = try retrying("write") { Int32(clamping: write(writing, "x", 1)) } }
    }
}
