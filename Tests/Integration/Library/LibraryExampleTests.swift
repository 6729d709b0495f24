import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// The examples in C and Python, with a daemon.
@Suite(.waits) struct LibraryExampleTests {
    private let apps: TestApps

    init() throws {
        apps = try TestApps()
        try apps.directory.write("bin/README", "")
    }

    private func isPosition(_ line: Substring) -> Bool {
        line.split { " ,".contains($0) }.prefix(2).allSatisfy { Double($0) != nil }
    }

    @Test func `the example in C prints positions, or what an app that is denied should do`() throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let program = try CompiledProgram("Examples/C/positions.c", to: apps.directory.file("bin/positions"))
        try apps.add("positions", name: "Positions", program: program.path)
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address, knowsLogins: false)
        let operators = try OperatorClient(daemon)
        try operators.authorize("positions", .whileUsing, uid: geteuid())
        let run = try program.run(["3"], socket: daemon.socketPath)
        #expect(run.status.isSuccess, "\(run.error)\n\(daemon.log)")
        #expect(run.output.split(separator: "\n").count(where: isPosition) == 3, "\(run.output)")
        try operators.authorize("positions", .deny, uid: geteuid())
        let denied = try program.run(["3"], socket: daemon.socketPath)
        #expect(
            denied.status == .exited(1) && denied.output.isEmpty && denied.error.contains("may not have positions"),
            "\(denied)")
    }

    @Test func `the example in C reports an arrival, also one that it has missed`() throws {
        let program = try CompiledProgram("Examples/C/arrivals.c", to: apps.directory.file("bin/arrivals"))
        let scene = try RegionScene()
        func start() throws -> ChildProcess {
            try ChildProcess(
                ChildProcess.Launch(
                    program.path, ["47", "-30", "100"], environment: ["WAYMARK_SOCKET": scene.daemon.socketPath],
                    input: .pipe, output: .pipe, error: .inherited, isGuarded: true))
        }
        func read(_ process: ChildProcess, until end: String) throws -> String {
            var text = ""
            let deadline = PollDeadline(seconds: 60)
            while !text.hasSuffix(end), try deadline.poll(process.outputPipe, for: POLLIN) {
                var buffer = [UInt8](repeating: 0, count: 4_096)
                let count = Glibc.read(process.outputPipe, &buffer, buffer.count)
                guard count > 0 else { break }
                text += String(decoding: buffer[..<count], as: UTF8.self)
            }
            return text
        }
        let first = try start()
        #expect(try read(first, until: "watching\n") == "watching\n")
        try scene.waitForDemand()
        scene.drive(0..<10) { _ in 1_000 }
        #expect(try read(first, until: "1: not there\n") == "1: not there\n")
        first.closeInput()
        #expect(try first.wait(seconds: 60) == .exited(0))
        // The machine arrives while the program does not run.
        scene.drive(10..<100) { 1_000 - Double($0 - 10) * 15 }
        scene.drive(100..<160) { _ in 0 }
        let second = try start()
        let text = try read(second, until: ": there\n")
        #expect(text.hasPrefix("watching\n") && text.hasSuffix(": there\n"), "\(text)\n\(scene.daemon.log)")
        second.closeInput()
        #expect(try second.wait(seconds: 60) == .exited(0))
    }

    @Test func `the example in Python prints positions and the network`() throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try DaemonProcess(gpsd: receiver.address)
        let library = try CompiledProgram.library()
        let folder = String(library.prefix(upTo: library.lastIndex(of: "/") ?? library.startIndex))
        let run = try CompletedProcess.run(
            "/usr/bin/python3", [try Products.file("Examples/Python/positions.py"), "3"],
            environment: ["LD_LIBRARY_PATH": folder, "WAYMARK_SOCKET": daemon.socketPath], seconds: 60)
        #expect(run.status.isSuccess, "\(run.error)\n\(daemon.log)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.count(where: isPosition) == 3 && lines.contains { $0.hasPrefix("network: ") }, "\(run.output)")
    }
}
