import Glibc
import Location
import Platform
import TestSupport
import TestTraits
import Testing

@testable import Resolver

/// Runs the program.
@Suite(.waits) struct ResolverProcessTests {
    private let program: String

    init() throws { program = try Products.program("waymark-resolver") }

    private func said(_ line: String) throws -> String {
        let done = try CompletedProcess.run(program, environment: ["LANG": "C"], input: line)
        #expect(done.status.isSuccess && done.error.isEmpty)
        return done.output
    }

    @Test(arguments: ["localhost\n", "localhost", "LOCALHOST\nexample.org\n"])
    func `a name in the hosts file has its address`(line: String) throws {
        let answer = try #require(NameAnswer(lines: Array(try said(line).utf8)))
        guard case .addresses(let addresses) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(!addresses.isEmpty && addresses.allSatisfy { $0.address.isLoopback })
    }

    @Test(arguments: [
        "\n", "", "a b\n", "a\tb\n", "-h\n", "::1\n", "a..b\n", "a\u{0}b\n", "a\r\n",
        String(repeating: "a", count: 253) + "\n",
    ])
    func `an invalid name is not looked up`(line: String) throws {
        #expect(try said(line) == "failed not a host name\n")
    }

    @Test(arguments: [String(repeating: "a.", count: 128), String(repeating: "a", count: 10_000) + "\n"])
    func `a line longer than any name is not read completely`(line: String) throws {
        #expect(try said(line).hasPrefix("failed expected a name of at most 253 bytes"))
    }

    @Test func `an argument is rejected`() throws {
        let done = try CompletedProcess.run(program, ["localhost"])
        #expect(done.status == .exited(2))
        #expect(done.output.isEmpty && done.error.hasPrefix("usage: "))
    }

    @Test func `the result is written to a connected socket, as with Accept=yes`() throws {
        var ends: [Int32] = [-1, -1]
        try retrying("make a socket pair") {
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        let near = OwnedDescriptor(adopting: ends[0])
        let far = OwnedDescriptor(adopting: ends[1])
        let process = try ChildProcess(
            ChildProcess.Launch(program, input: .descriptor(far.number), output: .descriptor(far.number)))
        far.close()
        let line = Array("localhost\n".utf8)
        try retrying("write") { write(near.number, line, line.count) }
        // The end of the connection is the end of the result.
        let bytes = try BoundedFile.bytes(from: near.number, limit: NameAnswer.mostBytes)
        #expect(NameAnswer(lines: bytes) != nil)
        #expect(try process.wait(seconds: 60) == .exited(0))
    }

    @Test(arguments: [false, true]) func `the process ends when its result is not read`(isSocket: Bool) throws {
        var ends: [Int32] = [-1, -1]
        try retrying("make a pair") {
            isSocket
                ? socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
                : pipe(&ends)
        }
        let near = OwnedDescriptor(adopting: ends[0])
        let far = OwnedDescriptor(adopting: ends[1])
        // The process waits for a name that does not arrive, as it would wait for name servers.
        let process = try ChildProcess(
            ChildProcess.Launch(program, input: .pipe, output: .descriptor(far.number)))
        far.close()
        let tasks = "/proc/\(process.processID)/task"
        let isWaiting = eventually { DirectoryListing.names(tasks).count >= 2 }
        #expect(isWaiting)
        // Like the daemon after its request: that is no reason to end.
        if isSocket { shutdown(near.number, Int32(SHUT_WR)) }
        let hasEnded = try PollDeadline(seconds: 0.1).poll(process.exitDescriptor, for: POLLIN)
        #expect(!hasEnded)
        near.close()
        // The alarm is not the cause, and the unit of the process does not fail when the daemon ends.
        #expect(try process.wait(seconds: 60) == .exited(0))
    }

    @Test func `a result that nobody reads any more is no failure`() throws {
        var ends: [Int32] = [-1, -1]
        try retrying("make a socket pair") {
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        let near = OwnedDescriptor(adopting: ends[0])
        let far = OwnedDescriptor(adopting: ends[1])
        // The connection is closed before the process starts, as by a daemon that ended just then.
        near.close()
        let process = try ChildProcess(
            ChildProcess.Launch(program, input: .descriptor(far.number), output: .descriptor(far.number)))
        far.close()
        #expect(try process.wait(seconds: 60) == .exited(0))
    }

    @Test func `the process has no capabilities, cannot gain privileges, and ends with its alarm`() throws {
        // The process may inherit SIGALRM ignored and blocked.
        let process = try ChildProcess(
            ChildProcess.Launch(
                "/bin/sh", ["-c", "trap '' ALRM; exec \"$0\"", program], input: .pipe, output: .pipe))
        let path = "/proc/\(process.processID)/status"
        var lines: [Substring] = []
        let isReady = try eventually {
            lines = String(decoding: try BoundedFile.bytes(of: path, limit: 65_536), as: UTF8.self).split(
                separator: "\n")
            return lines.contains("NoNewPrivs:\t1")
        }
        #expect(isReady)
        let none = String(repeating: "0", count: 16)
        let isWithout = try eventually {
            lines = String(decoding: try BoundedFile.bytes(of: path, limit: 65_536), as: UTF8.self).split(
                separator: "\n")
            return ["CapPrm", "CapEff", "CapAmb", "CapInh"].allSatisfy { lines.contains("\($0):\t\(none)") }
        }
        #expect(isWithout, "\(lines)")
        process.signal(SIGALRM)
        #expect(try process.wait(seconds: 60) == .killed(signal: SIGALRM))
    }
}
