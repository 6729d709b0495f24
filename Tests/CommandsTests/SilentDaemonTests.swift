import Glibc
import Interfaces
import Location
import Platform
import TestSupport
import TestTraits
import Testing
import Varlink

/// Commands whose call the daemon receives and does not reply to, when the person presses Ctrl-C.
@Suite(.waits, .timeLimit(.minutes(15)))
final class SilentDaemonTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let listener: OwnedDescriptor

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("socket")
        listener = try UnixSocket.listen(path: path, mode: 0o600)
    }

    private func start(_ arguments: [String], input: ChildProcess.Stream = .null) throws -> ChildProcess {
        try ChildProcess(
            ChildProcess.Launch(
                try Products.program("waymark"), arguments,
                environment: ["PATH": "/usr/bin:/bin", "WAYMARK_SOCKET": path, "LC_ALL": "C.UTF-8"], input: input,
                output: .pipe, error: .pipe))
    }

    /// The next connection, on which a call has arrived.
    private func connection() throws -> OwnedDescriptor {
        let deadline = PollDeadline(seconds: 60)
        try #require(try deadline.poll(listener.number, for: POLLIN), "no connection in time")
        guard let connection = try UnixSocket.accept(listener.number) else { throw SystemError("accept", code: EAGAIN) }
        try #require(try deadline.poll(connection.number, for: POLLIN), "no call in time")
        return connection
    }

    @Test(arguments: [
        ["path", "--watch"], ["status", "--watch"], ["regions", "import", "--monitor", "depot", "FILE"],
    ])
    func `Ctrl-C ends the wait for a reply`(arguments: [String]) throws {
        let file = try directory.write(
            "depot.geojson",
            #"""
            {"type": "Feature", "id": "yard", "properties": {"radius": 100},
             "geometry": {"type": "Point", "coordinates": [7.5, 47.5]}}
            """#)
        let process = try start(arguments.map { $0 == "FILE" ? file : $0 })
        let connection = try connection()
        process.signal(SIGINT)
        #expect(try process.wait(seconds: 60) == .exited(130))
        _ = consume connection
    }

    @Test func `Ctrl-C after an answer on a terminal says that the answer may be in force`() throws {
        let terminal = try TypedTerminal(
            try Products.program("waymark"), ["agent"],
            environment: ["PATH": "/usr/bin:/bin", "WAYMARK_SOCKET": path, "LC_ALL": "C.UTF-8", "NO_COLOR": "1"])
        let registration = try connection()
        let question = Question(
            id: 1, app: "org.example.trailmap", kind: .whenInUse, name: TranslatedText("Trail Map"),
            purpose: TranslatedText("Shows where you are."), assurance: "user", choices: [.allowWhileUsing, .deny],
            proposesFullAccuracy: true)
        for message in [AgentMessage.registered, .prompt(question)] {
            let bytes = EncodedReply(message.reply, continues: true).bytes
            try #require(write(registration.number, bytes, bytes.count) == bytes.count)
        }
        #expect(terminal.shows("\r\n> "), "\(terminal.text)")
        terminal.type("1\n")
        let call = try connection()
        terminal.type("\u{3}")
        #expect(try terminal.end() == .exited(130))
        #expect(terminal.text.contains("not known whether your answer was saved"), "\(terminal.text)")
        _ = consume registration
        _ = consume call
    }

    @Test func `Ctrl-C ends an agent whose answer gets no reply`() throws {
        let agent = try start(["agent", "--json"], input: .pipe)
        let registration = try connection()
        let line = Array("{\"locked\": true}\n".utf8)
        let start = SystemClock().monotonicNanoseconds
        #expect(write(agent.inputPipe, line, line.count) == line.count)
        let call = try connection()
        agent.signal(SIGINT)
        #expect(try agent.wait(seconds: 60) == .exited(130))
        // An agent that has waited for the reply until its time limit, which is ten seconds, reports that, and ends afterwards.
        guard SystemClock().monotonicNanoseconds - start < 9_000_000_000 else { return }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(agent.outputPipe, &bytes, bytes.count)
        #expect(!String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains("error"))
        _ = consume registration
        _ = consume call
    }
}
