import Glibc
import Testing
import TestSupport
import TestTraits

@testable import Platform

@Suite(.waits) struct ChildProcessTests {
    private func shell(_ script: String) -> ChildProcess.Launch {
        ChildProcess.Launch("/bin/sh", ["-c", script], output: .pipe)
    }

    /// Waits for the child's first line, after which its traps are set.
    private func awaitLine(_ process: ChildProcess) throws -> String {
        #expect(try PollDeadline(seconds: 60).poll(process.outputPipe, for: POLLIN))
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(process.outputPipe, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func `what a program writes to both streams and its code come back`() throws {
        let done = try CompletedProcess.run("/bin/sh", ["-c", "cat; echo bad >&2; exit 7"], input: "good\n")
        #expect(done.status == .exited(7))
        #expect(done.output == "good\n")
        #expect(done.error == "bad\n")
        #expect(!done.timedOut)
    }

    @Test func `more input and output than a pipe holds get through`() throws {
        let text = String(repeating: "0123456789abcde\n", count: 40_000)
        let done = try CompletedProcess.run("/bin/cat", input: text)
        #expect(done.output == text)
        #expect(done.status.isSuccess)
    }

    @Test func `input that the child does not read causes no failure`() throws {
        let done = try CompletedProcess.run("/bin/true", input: String(repeating: "x", count: 1 << 20))
        #expect(done.status.isSuccess)
    }

    @Test func `a program that takes too long is ended`() throws {
        let done = try CompletedProcess.run("/bin/sleep", ["100"], seconds: 0.05)
        #expect(done.timedOut)
        #expect(done.status == .killed(signal: SIGTERM))
    }

    @Test func `a program that is not there is an error with its path`() {
        #expect(throws: SystemError("start", code: ENOENT, subject: "/nonexistent/program")) {
            try CompletedProcess.run("/nonexistent/program")
        }
    }

    @Test func `the environment is the one given`() throws {
        let done = try CompletedProcess.run("/usr/bin/env", environment: ["A": "1", "B": "two words"])
        #expect(done.output == "A=1\nB=two words\n")
    }

    @Test func `a child has no descriptor but the three standard ones`() throws {
        // Inheritable on purpose.
        let open = Glibc.open("/dev/null", O_RDONLY)
        defer { _ = close(open) }
        let done = try CompletedProcess.run("/bin/sh", ["-c", "exec ls /proc/self/fd"])
        // The fourth is the directory that ls itself reads.
        #expect(done.output == "0\n1\n2\n3\n")
    }

    @Test func `a child that ignores SIGTERM is killed after the grace`() throws {
        let process = try ChildProcess(shell("trap '' TERM; echo ready; while :; do sleep 1; done"))
        #expect(try awaitLine(process) == "ready\n")
        #expect(try process.terminate(graceSeconds: 0.05) == .killed(signal: SIGKILL))
        #expect(!processExists(process.processID))
    }

    @Test func `a child that ends on SIGTERM keeps its own code`() throws {
        let process = try ChildProcess(shell("trap 'exit 9' TERM; echo ready; sleep 1000 & wait"))
        #expect(try awaitLine(process) == "ready\n")
        #expect(try process.terminate(graceSeconds: 60) == .exited(9))
    }

    @Test func `processes that a child started end with it`() throws {
        let process = try ChildProcess(shell("sleep 1000 & echo $!; wait"))
        let line = try awaitLine(process)
        let grandchild = try #require(pid_t(line.dropLast()))
        try process.terminate()
        let removed = try eventually { try !processRuns(grandchild) }
        #expect(removed)
    }

    @Test func `a child ends with its value`() throws {
        let pid = try startAndForget()
        #expect(!processExists(pid))
    }

    private func startAndForget() throws -> pid_t {
        try ChildProcess(ChildProcess.Launch("/bin/sleep", ["1000"])).processID
    }

    @Test func `what a child leaves running when it ends by itself is ended too`() throws {
        let process = try ChildProcess(shell("sleep 1000 & echo $!; exit 3"))
        let left = try #require(pid_t(try awaitLine(process).dropLast()))
        #expect(try process.wait(seconds: 60) == .exited(3))
        let removed = try eventually { try !processRuns(left) }
        #expect(removed)
    }

    @Test func `what a child leaves running goes on where that is wanted, unless the child is ended`() throws {
        var launch = shell("sleep 1000 & echo $!; exit 3")
        launch.leavesGroup = true
        let process = try ChildProcess(launch)
        let left = try #require(pid_t(try awaitLine(process).dropLast()))
        #expect(try process.wait(seconds: 60) == .exited(3))
        #expect(try processRuns(left))
        _ = kill(left, SIGKILL)
        launch.arguments = ["-c", "sleep 1000 & echo $!; wait"]
        let ended = try ChildProcess(launch)
        let removed = try #require(pid_t(try awaitLine(ended).dropLast()))
        try ended.terminate()
        let isRemoved = try eventually { try !processRuns(removed) }
        #expect(isRemoved)
    }

    @Test func `a guarded child lives as long as its value, and its guardian no longer`() throws {
        var launch = shell("echo ready; exec sleep 1000")
        launch.isGuarded = true
        let process = try ChildProcess(launch)
        #expect(try awaitLine(process) == "ready\n")
        let guardian = try #require(process.guardian?.processID)
        #expect(try process.wait(seconds: 0.05) == nil)
        #expect(try process.terminate() == .killed(signal: SIGTERM))
        #expect(!processExists(guardian))
    }

    @Test func `a guardian that loses its owner kills the child`() throws {
        var launch = shell("echo ready; exec sleep 1000")
        launch.isGuarded = true
        let process = try ChildProcess(launch)
        #expect(try awaitLine(process) == "ready\n")
        // What the owner's death comes to: the end of the pipe that the guardian reads.
        process.guardian?.closeInput()
        #expect(try process.wait(seconds: 60) == .killed(signal: SIGKILL))
    }

    @Test func `waiting for a child that runs on gives up at the deadline`() throws {
        let process = try ChildProcess(ChildProcess.Launch("/bin/sleep", ["1000"]))
        #expect(try process.wait(seconds: 0.01) == nil)
        process.signal(SIGUSR1)
        #expect(try process.wait(seconds: 60) == .killed(signal: SIGUSR1))
        #expect(try process.terminate() == .killed(signal: SIGUSR1))
    }

    /// Whether a process runs: one that has ended and that its parent, or init, has not collected does not.
    private func processRuns(_ pid: pid_t) throws -> Bool {
        guard processExists(pid) else { return false }
        let state = try CompletedProcess.run("/bin/sh", ["-c", "cut -d' ' -f3 /proc/\(pid)/stat"])
        return !state.output.isEmpty && state.output != "Z\n"
    }
}
