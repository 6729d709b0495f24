import CLinux
import CommandLineKit
import Glibc
import Platform
import Testing

@Suite struct OutputTests {
    /// A pipe: its reading and its writing end.
    private func makePipe() throws -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        // A program that another test runs meanwhile must not have an end of it.
        try #require(pipe2(&ends, O_CLOEXEC) == 0)
        return (ends[0], ends[1])
    }

    @Test func `lines are written together, when flushed`() throws {
        let (reader, writer) = try makePipe()
        defer { close(reader) }
        let output = Output(descriptor: writer)
        try output.line("one")
        try output.lines(["two", "three"])
        var waiting = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        #expect(poll(&waiting, 1, 0) == 0)
        try output.flush()
        close(writer)
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(reader, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "one\ntwo\nthree\n")
    }

    @Test func `a closed reader is an error, not the end of the process`() throws {
        Output.ignoreBrokenPipes()
        let (reader, writer) = try makePipe()
        close(reader)
        defer { close(writer) }
        // A process that another test starts meanwhile has the reading end too, until it executes its program.
        #expect(try PollDeadline(seconds: 25).poll(writer, for: POLLERR))
        let output = Output(descriptor: writer, flushesEachLine: true)
        #expect(throws: OutputError.closed) { try output.line("nobody listens") }
    }

    @Test func `a descriptor that cannot be written to is an error with its reason`() throws {
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let output = Output(descriptor: full)
        try output.line("no room")
        #expect(throws: OutputError.failed(SystemError("write", code: ENOSPC))) { try output.flush() }
    }
}
