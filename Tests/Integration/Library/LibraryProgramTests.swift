import Glibc
import Interfaces
import Platform
import TestSupport
import Testing

/// Programs in C that use libwaymark.so with a daemon.
@Suite(.waits) struct LibraryProgramTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func program(_ name: String) throws -> CompiledProgram {
        try CompiledProgram(
            "Tests/Integration/Library/Programs/\(name).c", to: directory.file(name), more: ["-ldl"])
    }

    @Test func `a program forks, runs out of descriptors, handles signals, polls and has threads`() throws {
        let daemon = try DaemonProcess()
        let program = try program("checks")
        for check in ["fork", "full", "signals", "loop", "threads"] {
            let run = try program.run([check], socket: daemon.socketPath)
            #expect(run.status.isSuccess, "\(check): \(run.status) \(run.error)")
        }
    }

    @Test func `the library is loaded at run time, and again`() throws {
        let daemon = try DaemonProcess()
        let run = try program("load").run([try CompiledProgram.library()], socket: daemon.socketPath)
        #expect(run.status.isSuccess, "\(run.error)")
        let version = "\(WaymarkVersion.text)\n"
        #expect(run.output == version + version + version)
    }

    @Test func `a stream survives a daemon that is killed, and reports both`() throws {
        let daemon = try DaemonProcess()
        let program = try program("checks")
        let process = try ChildProcess(
            ChildProcess.Launch(
                program.path, ["restart"], environment: ["WAYMARK_SOCKET": daemon.socketPath], output: .pipe,
                error: .pipe, isGuarded: true))
        var text = ""
        try PipeText.read(process.outputPipe, into: &text) { $0.contains("\n") }
        daemon.signal(SIGKILL)
        #expect(try daemon.wait() == .killed(signal: SIGKILL))
        try PipeText.read(process.outputPipe, into: &text) { $0.contains("\n2 ") && $0.hasSuffix("\n") }
        try daemon.restart()
        #expect(try process.wait(seconds: 60) == .exited(0), "\(text)")
        try PipeText.read(process.outputPipe, into: &text) { $0.hasSuffix("10 0\n") && $0.contains("\n3 0\n") }
        // The path of the machine may change meanwhile.
        var lines: [Substring] = []
        for line in text.split(separator: "\n") where line != lines.last { lines.append(line) }
        #expect(lines == ["10 0", "2 \(-ECONNRESET)", "3 0", "10 0"])
    }
}
