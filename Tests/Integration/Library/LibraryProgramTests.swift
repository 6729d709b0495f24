import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
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

    /// A running program whose lines are compared as they come.
    private final class Running {
        let process: ChildProcess
        private var text = ""

        init(_ program: CompiledProgram, _ arguments: [String], socket: String) throws {
            process = try ChildProcess(
                ChildProcess.Launch(
                    program.path, arguments, environment: ["WAYMARK_SOCKET": socket], output: .pipe, error: .inherited,
                    isGuarded: true))
        }

        /// The lines of a letter, once there are so many.
        func lines(_ letter: Character, _ count: Int) throws -> [String] {
            try lines(letter) { $0.count >= count }
        }

        /// The lines of a letter, once they are enough.
        func lines(_ letter: Character, until isEnough: ([String]) -> Bool) throws -> [String] {
            try PipeText.read(process.outputPipe, into: &text) { text in
                text.hasSuffix("\n") && isEnough(Self.lines(letter, in: text))
            }
            return Self.lines(letter, in: text)
        }

        private static func lines(_ letter: Character, in text: String) -> [String] {
            text.split(separator: "\n").filter { $0.first == letter }.map { String($0.dropFirst(2)) }
        }
    }

    @Test func `positions, headings and visits survive a killed daemon, and none comes twice`() throws {
        let gpsd = try ScriptedGPSD()
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(gpsd: gpsd.address)
        let program = try Running(program("checks"), ["streams", "-1"], socket: daemon.socketPath)
        defer { _ = try? program.process.terminate() }
        // What is reported before a stream is open may be over when it is.
        func waitForStreams() throws {
            try #require(
                try eventually { try OperatorClient(daemon).status().clients.streams == 3 }, "\(daemon.log)")
        }
        try waitForStreams()
        try #require(eventually { gpsd.received.contains("?WATCH") }, "\(daemon.log)")
        let start = SystemClock().utcMicroseconds / 1_000_000 - 7_200
        func stay(_ seconds: Range<Int>, latitude: Double) {
            gpsd.send(
                seconds.map { second in
                    ScriptedGPSD.position(at: (start + Int64(second)) * 1_000_000)
                        .replacing("\"lat\":47.000000000", with: "\"lat\":\(latitude)")
                }.joined())
        }
        func turn(_ heading: Int) {
            gpsd.send(#"{"class":"ATT","device":"\#(ScriptedGPSD.device)","heading":\#(heading)}"# + "\r\n")
        }
        turn(10)
        #expect(try program.lines("h", 1) == ["10"])
        stay(0..<400, latitude: 47)
        #expect(try program.lines("v", 1) == ["nan nan"])
        stay(400..<420, latitude: 47.1)
        #expect(try program.lines("v", 2).last?.hasPrefix("nan ") == true)
        _ = try program.lines("p") { $0.contains("\(start + 419)") }
        // The departure is on the disk before the remark.
        #expect(try daemon.waymark(["log", "--note", "the daemon is killed"]).status == .exited(0))
        daemon.signal(SIGKILL)
        #expect(try daemon.wait() == .killed(signal: SIGKILL))
        #expect(try program.lines("h", 2).last == "interrupted" && program.lines("v", 3).last == "interrupted")
        #expect(try program.lines("p") { $0.contains("interrupted") }.contains("\(start + 419)"))
        try daemon.restart()
        try #require(eventually { gpsd.connections >= 2 })
        let resumed = try program.lines("v", 4)
        #expect(resumed.dropFirst(2) == ["interrupted", "resumed"], "no visit that is known comes again")
        try waitForStreams()
        turn(20)
        #expect(try program.lines("h", 4) == ["10", "interrupted", "resumed", "20"])
        stay(500..<900, latitude: 47.1)
        #expect(try program.lines("v", 5).count == 5)
        let positions = try program.lines("p") { $0.last == "\(start + 899)" }
        #expect(positions.contains("resumed") && Set(positions).count == positions.count, "each position once")
    }

    @Test func `positions are collected for as long as the program permits`() throws {
        let gpsd = try ScriptedGPSD()
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(gpsd: gpsd.address)
        let program = try Running(program("checks"), ["streams", "1"], socket: daemon.socketPath)
        defer { _ = try? program.process.terminate() }
        try #require(eventually { gpsd.received.contains("?WATCH") }, "\(daemon.log)")
        let clock = SystemClock()
        let start = clock.utcMicroseconds / 1_000_000 - 3_600
        func report(_ seconds: ClosedRange<Int64>) {
            gpsd.send(seconds.map { ScriptedGPSD.position(at: (start + $0) * 1_000_000) }.joined())
        }
        report(0...0)
        #expect(try program.lines("p", 1) == ["\(start)"], "the first one is not delayed")
        let sent = clock.monotonicNanoseconds
        report(1...5)
        #expect(try program.lines("p", 6) == (0...5).map { "\(start + Int64($0))" })
        #expect(clock.monotonicNanoseconds - sent > 500_000_000, "they were not collected")
    }

    @Test(.enabled(if: OtherUser.isPossible, "only root can hide logind from a daemon"))
    func `a program in C asks, the person answers in a terminal, and the program gets the answer`() throws {
        let apps = try TestApps()
        let program = try program("checks")
        try apps.add("compass", name: "Compass", program: program.path)
        let agent = try Products.resolvedProgram("waymark")
        let daemon = try DaemonProcess(
            in: apps.directory,
            configuration: apps.configuration(agents: [try Products.resolvedProgram("waymark-agent")]),
            knowsLogins: false)
        let terminal = try TypedTerminal(
            agent, ["agent"],
            environment: ["WAYMARK_SOCKET": daemon.socketPath, "NO_COLOR": "1", "LC_ALL": "C"])
        #expect(terminal.shows("Waiting for questions."))
        let running = try Running(program, ["ask"], socket: daemon.socketPath)
        #expect(terminal.shows("\r\n> "), "\(terminal.text) \(daemon.log)")
        #expect(terminal.text.contains("Compass would like to use your location"))
        terminal.type("p\n2\n")
        #expect(try running.process.wait(seconds: 60) == .exited(0))
        // While in use, with reduced accuracy.
        #expect(try running.lines("3", 1) == ["1"])
    }
}
