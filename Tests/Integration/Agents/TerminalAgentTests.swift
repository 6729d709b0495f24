import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// `waymark agent` on a terminal, with a daemon that only shows prompts.
@Suite(.waits) struct TerminalAgentTests {
    /// Where the person can type.
    private let mark = "\r\n> "

    private func terminal(
        _ daemon: AskingDaemon, _ arguments: [String] = [], language: String = "C.UTF-8", term: String = "xterm"
    ) throws -> TypedTerminal {
        try TypedTerminal(
            Products.program("waymark"), ["agent"] + arguments,
            environment: ["WAYMARK_SOCKET": daemon.socketPath, "LC_ALL": language, "NO_COLOR": "1"], term: term)
    }

    @Test func `a person allows while using the app, without precise location`() async throws {
        let daemon = try await AskingDaemon.start()
        let terminal = try terminal(daemon)
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap()))
        #expect(terminal.shows(mark), "\(terminal.text)")
        #expect(terminal.text.contains("Trail Map would like to use your location"))
        #expect(terminal.text.contains("The app says: Shows <b>where</b> & when."))
        terminal.type("p\n")
        #expect(terminal.shows("Precise location: off"))
        terminal.type("2\n")
        #expect(try await daemon.awaitCalls(1) == [#"Answer {"prompt":1,"choice":"allowWhileUsing","precise":false}"#])
        #expect(terminal.shows("Your answer: Allow While Using the App."), "\(terminal.text)")
        terminal.type("\u{4}")
        #expect(try terminal.end() == .exited(0))
        #expect(terminal.isAsBefore)
        await daemon.stop()
    }

    @Test func `a person who reads German is asked in German, on a dumb terminal too`() async throws {
        let daemon = try await AskingDaemon.start()
        let terminal = try terminal(daemon, language: "de_DE.UTF-8", term: "dumb")
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap(kind: .changeToAlways)))
        #expect(terminal.shows(mark))
        #expect(terminal.text.contains("Wanderkarte möchte Ihren Standort auch dann verwenden"))
        #expect(terminal.text.contains("Zeigt, wo Sie sind."))
        #expect(!terminal.text.contains("\u{1B}"))
        terminal.type("1\n")
        #expect(try await daemon.awaitCalls(1) == [#"Answer {"prompt":1,"choice":"keepWhileUsing"}"#])
        await daemon.stop()
    }

    @Test func `input typed before the prompt accepts answers is ignored`() async throws {
        let daemon = try await AskingDaemon.start()
        let terminal = try terminal(daemon)
        try await daemon.awaitAgent()
        #expect(terminal.shows("Waiting for questions."))
        // A line, and the beginning of another. The kernel shows them when it has passed them on, a little later.
        terminal.type("1\n2")
        #expect(terminal.shows("1\r\n2"))
        await daemon.notify(.prompt(trailMap()))
        #expect(terminal.shows(mark))
        // Had the 2 stayed, this would read 2d.
        terminal.type("d\n")
        #expect(try await daemon.awaitCalls(1) == [#"Dismiss {"prompt":1}"#])
        #expect(terminal.shows("Nothing was decided."))
        await daemon.stop()
    }

    @Test func `a prompt that was answered elsewhere is removed, and the next one is shown`() async throws {
        let daemon = try await AskingDaemon.start()
        let terminal = try terminal(daemon)
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap(1)))
        await daemon.notify(.prompt(trailMap(2, kind: .temporaryFullAccuracy)))
        #expect(terminal.shows(mark))
        terminal.type("1")
        #expect(terminal.shows("\(mark)1"))
        await daemon.notify(.withdrawn(1))
        #expect(terminal.shows("answered elsewhere"))
        #expect(terminal.shows("precise location this time"))
        #expect(terminal.shows(mark, times: 2))
        terminal.type("2\n")
        #expect(try await daemon.awaitCalls(1) == [#"Answer {"prompt":2,"choice":"deny"}"#])
        await daemon.stop()
    }

    @Test func `Ctrl-C dismisses nothing and leaves the terminal as it was`() async throws {
        let daemon = try await AskingDaemon.start()
        let terminal = try terminal(daemon)
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap(1)))
        await daemon.notify(.prompt(trailMap(2)))
        // The agent knows both when it shows what came after them.
        await daemon.notify(.holds([AgentMessage.Hold(app: "a", name: TranslatedText("One"))]))
        #expect(terminal.shows("● One is using your location"))
        #expect(terminal.shows(mark))
        terminal.type("\u{3}")
        #expect(try terminal.end() == .exited(130))
        #expect(terminal.text.contains("Unanswered questions: 2."))
        #expect(terminal.isAsBefore)
        #expect(await daemon.calls == [])
        await daemon.stop()
    }

    @Test func `after an answer that could not be stored the person is asked again`() async throws {
        let daemon = try await AskingDaemon.start()
        let terminal = try terminal(daemon)
        try await daemon.awaitAgent()
        await daemon.fail(.agentNotStored)
        await daemon.notify(.prompt(trailMap()))
        #expect(terminal.shows(mark))
        terminal.type("3\n")
        #expect(terminal.shows("could not be saved"))
        #expect(terminal.shows(mark, times: 2))
        terminal.type("3\n")
        let calls = try await daemon.awaitCalls(2)
        #expect(Set(calls) == [#"Answer {"prompt":1,"choice":"deny"}"#])
        await daemon.stop()
    }

    @Test func `the agent connects to a restarted daemon again, and shows its prompts again`() async throws {
        let daemon = try await AskingDaemon.start()
        let terminal = try terminal(daemon)
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap()))
        #expect(terminal.shows(mark))
        try await daemon.restart()
        try await daemon.awaitAgent(2)
        await daemon.notify(.prompt(trailMap()))
        #expect(terminal.shows("Trail Map would like", times: 2))
        #expect(terminal.shows(mark, times: 2))
        terminal.type("1\n")
        #expect(try await daemon.awaitCalls(1) == [#"Answer {"prompt":1,"choice":"allowOnce","precise":true}"#])
        await daemon.stop()
    }

    @Test func `apps that use the location in the background are listed while no prompt is open`() async throws {
        let daemon = try await AskingDaemon.start()
        let terminal = try terminal(daemon)
        try await daemon.awaitAgent()
        await daemon.notify(.holds([AgentMessage.Hold(app: "a", name: TranslatedText("Trail\u{1B}[2J Map"))]))
        #expect(terminal.shows("● Trail\\u{1b}[2J Map is using your location in the background"))
        await daemon.stop()
    }

    @Test func `a program that may not be an agent gets a message`() async throws {
        let daemon = try await AskingDaemon.start()
        await daemon.refuse()
        let terminal = try terminal(daemon)
        #expect(try terminal.end() == .exited(4))
        #expect(terminal.text.contains("You are no agent."))
        await daemon.stop()
    }

    @Test func `without a daemon it ends with a message`() throws {
        let terminal = try TypedTerminal(
            Products.program("waymark"), ["agent", "--socket", "/nonexistent/socket"], environment: ["LC_ALL": "C"])
        #expect(try terminal.end() == .exited(3))
        #expect(terminal.text.contains("does not run"))
    }
}

extension AskingDaemon {
    /// The next answer gets this error.
    func fail(_ error: ErrorName) { nextError = error.rawValue }

    /// Nobody may be an agent.
    func refuse() { refusal = ErrorName.agentNotAgent.rawValue }
}
