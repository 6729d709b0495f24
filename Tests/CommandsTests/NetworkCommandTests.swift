import Glibc
import Interfaces
import JSONText
import NetworkPaths
import Platform
import TestSupport
import TestTraits
import Testing
import Varlink

/// `waymark path` and `waymark target` as people and scripts use them: the program itself, and a daemon that replies as
/// the test says.
@Suite(.waits, .timeLimit(.minutes(15)))
struct NetworkCommandTests {
    private let directory: TemporaryDirectory
    private let program: String

    init() throws {
        directory = try TemporaryDirectory()
        program = try Products.program("waymark")
    }

    private static let wired = NetworkInterface(name: "eth0", index: 2, kind: .wired)

    private static func json(_ write: (inout JSONWriter) -> Void) throws -> JSON {
        var writer = JSONWriter()
        write(&writer)
        return try JSON.parse(writer.bytes)
    }

    private static func path(_ status: NetworkPath.Status, _ reason: UnreachableReason? = nil) throws -> JSON {
        var path = NetworkPath(status: status, reason: reason, supportsIPv4: true, supportsDNS: true, generation: 3)
        if status == .satisfied { path.interfaces = [wired] }
        path.gateways = ["192.0.2.1"].compactMap { IPAddress($0) }
        return ["path": try json { path.write(to: &$0) }]
    }

    private static func target(
        _ status: TargetReachability.Status, _ reason: UnreachableReason? = nil, steps: [ReachabilityStep]? = nil
    ) throws -> JSON {
        var target = TargetReachability(host: "tracker.example.org", port: 443, status: status, reason: reason)
        target.gateway = IPAddress("192.0.2.1")
        target.interface = wired
        let answer = TargetAnswer(target: target, steps: steps ?? [])
        let whole = try json { writer in writer.object { answer.writeMembers(to: &$0) } }
        return steps == nil ? ["target": try #require(whole["target"])] : whole
    }

    private func environment(_ network: ReportedNetwork) -> [String: String] {
        ["PATH": "/usr/bin:/bin", "WAYMARK_SOCKET": network.socketPath, "LC_ALL": "C.UTF-8", "TZ": "UTC"]
    }

    /// Runs the command line to its end.
    private func waymark(_ network: ReportedNetwork, _ arguments: String...) throws -> CompletedProcess {
        let process = try CompletedProcess.run(program, arguments, environment: environment(network), seconds: 45)
        try #require(!process.timedOut, "\(arguments) took too long: \(process.error)")
        return process
    }

    /// Starts it, to be met while it runs.
    private func begin(_ network: ReportedNetwork, _ arguments: String...) throws -> RunningCommand {
        try RunningCommand(program, arguments, environment: environment(network))
    }

    // Once

    @Test func `a path is described in sentences, and decides the exit code`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        try await network.answer(.getPath, Self.path(.satisfied))
        let good = try waymark(network, "path")
        #expect(good.status == .exited(0) && good.error.isEmpty)
        #expect(
            good.output == """
                The rest of the world can be reached through eth0.
                Interfaces  eth0, wired
                Routers     192.0.2.1
                Protocols   IPv4
                Names       a name server can be reached

                """)
        try await network.answer(.getPath, Self.path(.unsatisfied, .gatewayNotAnswering))
        let bad = try waymark(network, "path")
        #expect(bad.status == .exited(6) && bad.error.isEmpty)
        #expect(
            bad.output.hasPrefix("The rest of the world cannot be reached: the router does not respond.\n"))
        #expect(bad.output.contains("\n→ Check that the router is on"))
        await network.stop()
    }

    @Test func `with --json the daemon's own objects are printed`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        let path = try Self.path(.requiresConnection, .noCarrier)
        try await network.answer(.getPath, path)
        let once = try waymark(network, "path", "--json")
        #expect(once.status == .exited(6) && once.error.isEmpty)
        #expect(try JSON.parse(Array(once.output.utf8.dropLast())) == path["path"])
        let target = try Self.target(.reachable, steps: [])
        try await network.answer(.getTarget, target)
        let host = try waymark(network, "target", "tracker.example.org:443", "--json")
        #expect(host.status == .exited(0))
        #expect(try JSON.parse(Array(host.output.utf8.dropLast())) == target["target"])
        await network.stop()
    }

    @Test func `a target is described with the chain of evaluated parts`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        let steps: [ReachabilityStep] = [
            ReachabilityStep(.name, .good, "192.0.2.7 2001:db8::7"),
            ReachabilityStep(.rule, .good, "from all lookup main"),
            ReachabilityStep(.carrier, .good), ReachabilityStep(.gateway, .bad, "192.0.2.1 failed"),
            ReachabilityStep(.reports, .unknown, "2"),
        ]
        try await network.answer(.getTarget, Self.target(.unreachable, .gatewayNotAnswering, steps: steps))
        let target = try waymark(network, "target", "tracker.example.org:443")
        #expect(target.status == .exited(6) && target.error.isEmpty)
        #expect(
            target.output.hasPrefix(
                """
                tracker.example.org:443 cannot be reached: the router 192.0.2.1 does not respond.
                name: good, 192.0.2.7 2001:db8::7
                rule: good, from all lookup main
                carrier: good
                gateway: bad, 192.0.2.1 failed
                reports: not known, 2 failed in a row
                → Check that the router is on
                """))
        #expect(await network.calls.map(\.parameters) == [["host": "tracker.example.org", "port": 443]])
        await network.stop()
    }

    @Test(
        arguments: [
            ("fe80::1%eth0", ["host": "fe80::1%eth0"]), ("[2001:db8::1]:443", ["host": "2001:db8::1", "port": 443]),
            ("2001:db8::1", ["host": "2001:db8::1"]), ("192.0.2.1:443", ["host": "192.0.2.1", "port": 443]),
        ] as [(String, JSON)]) func `a host is queried as it was typed`(text: String, parameters: JSON) async throws
    {
        let network = try await ReportedNetwork.start(in: directory)
        try await network.answer(.getTarget, Self.target(.reachable, steps: []))
        #expect(try waymark(network, "target", text).status == .exited(0))
        #expect(await network.calls.map(\.parameters) == [parameters])
        await network.stop()
    }

    @Test func `an invalid host is wrong usage, and nothing is queried`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        for arguments in [["a:0"], ["https://example.org/"], [""], ["a", "b"], []] {
            let process = try CompletedProcess.run(
                program, ["target"] + arguments, environment: environment(network), seconds: 45)
            #expect(process.status == .exited(2), "\(arguments)")
            #expect(process.error.contains("waymark target --help"), "\(arguments): \(process.error)")
        }
        #expect(try waymark(network, "path", "--timeout", "1").status == .exited(2), "needs --wait")
        let json = try waymark(network, "target", "a..example", "--json")
        #expect(json.status == .exited(2) && json.output.contains("io.waymark.CommandLine.Usage"))
        #expect(await network.calls.isEmpty)
        await network.stop()
    }

    @Test(
        arguments: [
            (.reachabilityUnavailable, 1, "journalctl"), (.reachabilityInvalidHost, 2, "no."),
            (.reachabilityOtherNetwork, 4, "no."),
            (.reachabilityTooManyTargets, 1, "no."),
        ] as [(ErrorName, Int32, String)]) func `an error of the daemon has a sentence of its own`(
            error: ErrorName, code: Int32, words: String
        ) async throws
    {
        let network = try await ReportedNetwork.start(in: directory)
        await network.fail(error)
        for mode in [[], ["--watch"], ["--wait", "--timeout", "30"]] {
            let process = try CompletedProcess.run(
                program, ["target", "a"] + mode, environment: environment(network), seconds: 45)
            #expect(process.status == .exited(code), "\(mode): \(process.error)")
            #expect(process.error.hasPrefix("waymark: The test says no."))
            #expect(process.error.contains(words))
        }
        let json = try waymark(network, "path", "--json")
        #expect(try JSON.parse(Array(json.output.utf8.dropLast()))["error"] == .string(error.rawValue))
        await network.stop()
    }

    // At every change

    @Test func `watching prints a line a change, until the daemon stops`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        try await network.answer(.monitorPath, Self.path(.satisfied))
        let watch = try begin(network, "path", "--watch", "--no-reconnect")
        #expect(try await watch.line()?.dropFirst(19) == "  satisfied: eth0 by 192.0.2.1; IPv4, names")
        try await network.answer(.monitorPath, Self.path(.unsatisfied, .noRoute))
        let line = try #require(try await watch.line())
        #expect(line.dropFirst(19) == "  unsatisfied: no route leads there")
        #expect(line.prefix(19).count { $0 == "-" || $0 == ":" } == 4, "\(line)")
        await network.stop()
        #expect(try await watch.end() == .exited(3))
    }

    @Test func `watching a host with --json prints an object a line`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        let states = [try Self.target(.unknown, .resolving), try Self.target(.reachable)]
        try await network.answer(.monitorTarget, states[0])
        let watch = try begin(network, "target", "tracker.example.org:443", "--watch", "--json")
        #expect(try await watch.line() == states[0]["target"]?.description)
        try await network.answer(.monitorTarget, states[1])
        #expect(try await watch.line() == states[1]["target"]?.description)
        watch.interrupt()
        #expect(try await watch.end() == .exited(130))
        await network.stop()
    }

    // Until it can be reached

    @Test func `waiting ends as soon as there is a network`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        try await network.answer(.monitorPath, Self.path(.unsatisfied, .noRoute))
        let wait = try begin(network, "path", "--wait")
        #expect(try await eventually { await network.streamCount == 1 })
        try await network.answer(.monitorPath, Self.path(.requiresConnection, .noAddress))
        try await network.answer(.monitorPath, Self.path(.satisfied))
        #expect(try await wait.line() == "The rest of the world can be reached through eth0.")
        #expect(try await wait.end() == .exited(0))
        #expect(await network.calls.count == 1, "nothing is polled")
        await network.stop()
    }

    @Test func `waiting continues over a restart of the daemon`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        try await network.answer(.monitorTarget, Self.target(.unreachable, .noRoute))
        let wait = try begin(network, "target", "tracker.example.org", "--wait", "--timeout", "240")
        for _ in 0..<2 {
            #expect(try await eventually { await network.streamCount == 1 })
            await network.stop()
            #expect(try await wait.remark()?.contains("Reconnecting.") == true)
            try await network.start()
        }
        #expect(try await eventually { await network.streamCount == 1 })
        await network.stop()
        try await network.answer(.monitorTarget, Self.target(.reachable))
        try await network.start()
        #expect(
            try await wait.line()
                == "There is a route to tracker.example.org through eth0 and the router 192.0.2.1. Port 443 was"
                + " not tried.")
        #expect(try await wait.end() == .exited(0))
        await network.stop()
    }

    @Test func `waiting beyond the timeout ends with 6 and the reason`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        try await network.answer(.monitorTarget, Self.target(.unknown, .nameServerNotAnswering))
        let wait = try waymark(network, "target", "tracker.example.org:443", "--wait", "--timeout", "3")
        #expect(wait.status == .exited(6) && wait.output.isEmpty)
        #expect(
            wait.error
                == "waymark: Gave up after 3.0 s. Whether tracker.example.org:443 can be reached is not known: no name"
                + " server responds.\n")
        let json = try waymark(network, "target", "a", "--wait", "--timeout", "0.2", "--json")
        #expect(json.status == .exited(6) && json.error.isEmpty, "\(json.status) \(json.error)")
        #expect(try JSON.parse(Array(json.output.utf8.dropLast()))["error"] == "io.waymark.CommandLine.TimedOut")

        await network.stopAtStream()
        let lost = try begin(network, "target", "a", "--wait", "--timeout", "8")
        #expect(try await lost.remark()?.contains("Reconnecting.") == true)
        #expect(
            try await lost.remark()?.hasSuffix(
                "The connection to the Waymark daemon was lost and could not be restored.") == true)
        #expect(try await lost.end() == .exited(6))
    }

    @Test func `waiting with a timeout of 0 uses the daemon's first reply`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        try await network.answer(.monitorPath, Self.path(.satisfied))
        let good = try waymark(network, "path", "--wait", "--timeout", "0")
        #expect(good.status == .exited(0) && good.error.isEmpty, "\(good.error)")
        #expect(good.output.hasPrefix("The rest of the world can be reached through eth0.\n"))
        try await network.answer(.monitorPath, Self.path(.unsatisfied, .noRoute))
        let bad = try waymark(network, "path", "--wait", "--timeout", "0")
        #expect(bad.status == .exited(6) && bad.output.isEmpty)
        #expect(bad.error.contains("The rest of the world cannot be reached: no route leads there."), "\(bad.error)")
        await network.stopAtStream()
        let lost = try waymark(network, "path", "--wait", "--timeout", "0")
        #expect(lost.status == .exited(6), "\(lost.error)")
    }

    @Test func `with --no-reconnect waiting ends with the daemon, too`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        try await network.answer(.monitorPath, Self.path(.unsatisfied, .noRoute))
        let wait = try begin(network, "path", "--wait", "--no-reconnect")
        #expect(try await eventually { await network.streamCount == 1 })
        await network.stop()
        #expect(try await wait.remark() == "waymark: The Waymark daemon closed the connection.")
        #expect(try await wait.end() == .exited(3))
    }

    @Test func `a command that waits for a daemon that does not reply is interrupted`() async throws {
        let daemon = try UnixSocket.listen(path: directory.file("deaf"), mode: 0o600)
        let watch = try RunningCommand(
            program, ["target", "router", "--watch"], environment: ["WAYMARK_SOCKET": directory.file("deaf")])
        #expect(try PollDeadline(seconds: 60).poll(daemon.number, for: POLLIN))
        watch.interrupt()
        #expect(try await watch.end() == .exited(130))
    }

    @Test func `without a daemon nothing is waited for`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        await network.stop()
        for arguments in [["path"], ["path", "--wait"], ["target", "a", "--wait", "--timeout", "30"]] {
            let process = try CompletedProcess.run(
                program, arguments, environment: environment(network), seconds: 45)
            #expect(process.status == .exited(3), "\(arguments): \(process.error)")
        }
    }

    @Test func `waiting and watching together print the changes up to the one that was waited for`() async throws {
        let network = try await ReportedNetwork.start(in: directory)
        try await network.answer(.monitorPath, Self.path(.unsatisfied, .noRoute))
        let wait = try begin(network, "path", "--wait", "--watch", "--json")
        #expect(try await wait.line()?.contains("\"unsatisfied\"") == true)
        try await network.answer(.monitorPath, Self.path(.satisfied))
        #expect(try await wait.line()?.contains("\"satisfied\"") == true)
        #expect(try await wait.line() == nil)
        #expect(try await wait.end() == .exited(0))
        await network.stop()
    }
}

/// A command that runs, whose lines are read one by one.
private final class RunningCommand {
    private let process: ChildProcess
    private var output = LineBuffer()
    private var error = LineBuffer()

    private struct LineBuffer {
        var bytes: [UInt8] = []
        var hasEnded = false
    }

    init(_ program: String, _ arguments: [String], environment: [String: String]) throws {
        process = try ChildProcess(
            ChildProcess.Launch(program, arguments, environment: environment, output: .pipe, error: .pipe))
    }

    /// The next line of its standard output; nil at its end.
    func line() async throws -> String? { try await Self.line(process.outputPipe, &output) }

    /// The next line of its standard error; nil at its end.
    func remark() async throws -> String? { try await Self.line(process.errorPipe, &error) }

    func interrupt() { process.signal(SIGINT) }

    /// How it ended.
    func end() async throws -> Platform.ExitStatus? { try process.wait(seconds: 60) }

    private static func line(_ pipe: Int32, _ buffer: inout LineBuffer) async throws -> String? {
        let deadline = PollDeadline(seconds: 60)
        while true {
            if let end = buffer.bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.bytes.removeSubrange(...end) }
                return String(decoding: buffer.bytes[..<end], as: UTF8.self)
            }
            if buffer.hasEnded { return nil }
            try #require(try deadline.poll(pipe, for: POLLIN), "no line in time")
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = read(pipe, &chunk, chunk.count)
            if count <= 0 { buffer.hasEnded = true }
            buffer.bytes += chunk[..<max(0, count)]
        }
    }
}
