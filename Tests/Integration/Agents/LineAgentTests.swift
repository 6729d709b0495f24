import CLinux
import Glibc
import Interfaces
import JSONText
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// `waymark agent --json`, as a maker's script uses it.
@Suite(.waits) struct LineAgentTests {
    /// The command with pipes, and its lines.
    private final class Script {
        let process: ChildProcess
        private var rest: [UInt8] = []

        init(_ daemon: AskingDaemon) throws {
            process = try ChildProcess(
                ChildProcess.Launch(
                    Products.program("waymark"), ["agent", "--json"],
                    environment: ["WAYMARK_SOCKET": daemon.socketPath, "LC_ALL": "C"], input: .pipe, output: .pipe,
                    isGuarded: true))
        }

        func say(_ line: String) {
            let bytes = Array((line + "\n").utf8)
            _ = waymark_write_quietly(process.inputPipe, bytes, bytes.count)
        }

        /// The next line, as JSON.
        func line() throws -> JSON {
            let deadline = PollDeadline(seconds: 60)
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { rest.removeSubrange(...end) }
                    return try JSON.parse(Array(rest[..<end]))
                }
                try #require(try deadline.poll(process.outputPipe, for: POLLIN), "no line in time")
                var buffer = [UInt8](repeating: 0, count: 4_096)
                let count = read(process.outputPipe, &buffer, buffer.count)
                try #require(count > 0, "the output has ended")
                rest += buffer[..<count]
            }
        }
    }

    @Test func `prompts are printed as the daemon sends them, with texts for the person, and lines answer them`()
        async throws
    {
        let daemon = try await AskingDaemon.start()
        let script = try Script(daemon)
        #expect(try script.line() == ["registered": true])
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap()))
        let question = try script.line()
        #expect(question["prompt"].flatMap { AgentInterface.Prompt($0) }.map(Question.init) == trailMap())
        #expect(question["text"]?["title"] == "Trail Map would like to use your location")
        #expect(question["text"]?["answers"]?[2]?["label"] == "Don’t Allow")
        script.say(#"{"prompt": 1, "choice": "allowOnce", "precise": false}"#)
        #expect(try script.line() == ["answered": 1])
        await daemon.notify(.prompt(trailMap(2)))
        _ = try script.line()
        script.say(#"{"prompt": 2, "dismiss": true}"#)
        #expect(try script.line() == ["dismissed": 2])
        script.say(#"{"locked": true}"#)
        #expect(
            try await daemon.awaitCalls(3) == [
                #"Answer {"prompt":1,"choice":"allowOnce","precise":false}"#, #"Dismiss {"prompt":2}"#,
                #"SetLocked {"locked":true}"#,
            ])
        await daemon.notify(.holds([]))
        #expect(try script.line() == ["holds": []])
        script.process.closeInput()
        #expect(try script.process.wait(seconds: 60) == .exited(0))
        await daemon.stop()
    }

    @Test func `a choice of accuracy is not sent to a daemon that would ignore it`() async throws {
        let older = WaymarkInterface.agent.text.replacing(",\n  precise: ?bool", with: "")
        let daemon = try await AskingDaemon.start(older)
        let script = try Script(daemon)
        _ = try script.line()
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap()))
        _ = try script.line()
        script.say(#"{"prompt": 1, "choice": "allowWhileUsing", "precise": false}"#)
        let refused = try script.line()
        #expect(refused["error"] == "io.waymark.CommandLine.Incompatible", "\(refused)")
        #expect(refused["message"]?.stringValue?.contains("precise of io.waymark.Agent.Answer") == true, "\(refused)")
        #expect(await daemon.calls == [])
        script.say(#"{"prompt": 1, "choice": "deny"}"#)
        #expect(try script.line() == ["answered": 1])
        #expect(try await daemon.awaitCalls(1) == [#"Answer {"prompt":1,"choice":"deny"}"#])
        script.process.closeInput()
        #expect(try script.process.wait(seconds: 60) == .exited(0))
        await daemon.stop()
    }

    @Test func `an answer to an unknown or closed prompt is not sent`() async throws {
        let daemon = try await AskingDaemon.start()
        let script = try Script(daemon)
        _ = try script.line()
        script.say(#"{"prompt": 1, "choice": "allowOnce"}"#)
        let early = try script.line()
        #expect(early["error"] == "io.waymark.Agent.UnknownPrompt" && early["prompt"] == 1)
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap()))
        _ = try script.line()
        await daemon.notify(.withdrawn(1))
        #expect(try script.line() == ["withdrawn": 1])
        script.say(#"{"prompt": 1, "choice": "allowOnce"}"#)
        #expect(try script.line()["error"] == "io.waymark.Agent.UnknownPrompt")
        #expect(await daemon.calls == [])
        await daemon.stop()
    }

    @Test(arguments: [
        "nonsense", "{}", "[1]", #"{"prompt":"1","choice":"deny"}"#, #"{"prompt":1,"choice":"deny","precise":1}"#,
    ])
    func `a line that makes no sense is complained about, and the next one counts`(line: String) async throws {
        let daemon = try await AskingDaemon.start()
        let script = try Script(daemon)
        _ = try script.line()
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap()))
        _ = try script.line()
        script.say(line)
        #expect(try script.line()["error"] == "io.waymark.CommandLine.NotUnderstood")
        await daemon.fail(.agentNotOffered)
        script.say(#"{"prompt":1,"choice":"allow"}"#)
        #expect(try script.line()["error"] == "io.waymark.Agent.NotOffered")
        script.say(#"{"prompt":1,"choice":"deny"}"#)
        #expect(try script.line() == ["answered": 1])
        await daemon.stop()
    }

    @Test func `a daemon that stops and returns is reported`() async throws {
        let daemon = try await AskingDaemon.start()
        let script = try Script(daemon)
        _ = try script.line()
        try await daemon.awaitAgent()
        try await daemon.restart()
        #expect(try script.line() == ["registered": false])
        #expect(try script.line() == ["registered": true])
        await daemon.stop()
    }
}
