import Glibc
import Platform
import TestSupport
import Testing

@testable import CommandLineKit

/// Files that are named on the command line.
struct InputFileTests {
    @Test func `a pipe is read to its end, however late its writer comes`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("pipe")
        try retrying("make a pipe") { mkfifo(path, 0o600) }
        // Opening it for writing waits for the reader.
        let writer = try ChildProcess(
            ChildProcess.Launch(
                "/bin/sh", ["-c", "exec >\"$0\"; printf abc; printf def", path], environment: [:], isGuarded: true))
        #expect(try InputFile.bytes(of: path, limit: 100) == Array("abcdef".utf8))
        #expect(try writer.wait(seconds: 60) == .exited(0))
    }

    @Test func `what is longer than the limit, or missing, is an error that names it`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("file", "abc")
        let path = directory.file("file")
        #expect(try InputFile.bytes(of: path, limit: 3) == Array("abc".utf8))
        #expect(throws: SystemError("read", code: EFBIG, subject: path)) { try InputFile.bytes(of: path, limit: 2) }
        #expect(throws: SystemError("read", code: ENOENT, subject: path + "x")) {
            try InputFile.bytes(of: path + "x", limit: 2)
        }
        #expect(InputFile.name("-") == "standard input" && InputFile.name(path) == path)
    }
}
