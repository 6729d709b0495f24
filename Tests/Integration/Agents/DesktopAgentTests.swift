import CLinux
import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// `waymark agent --desktop` on a real message bus.
@Suite(.waits) struct DesktopAgentTests {
    private func agent(
        _ daemon: AskingDaemon, _ bus: PrivateBus, language: String = "C", arguments: [String] = ["--desktop"]
    ) throws -> ChildProcess {
        try ChildProcess(
            ChildProcess.Launch(
                Products.program("waymark"), ["agent"] + arguments,
                environment: [
                    "WAYMARK_SOCKET": daemon.socketPath, "LC_ALL": language, "DBUS_SESSION_BUS_ADDRESS": bus.address,
                ], error: .pipe, isGuarded: true))
    }

    private func isQuestion(_ card: NotificationDesk.Card) -> Bool { card.urgency == 2 }

    @Test(arguments: [true, false])
    func `a person allows once, approximately, whether buttons close notifications or not`(closes: Bool) async throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus, closesOnPress: closes)
        let daemon = try await AskingDaemon.start()
        let agent = try agent(daemon, bus)
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap()))
        let first = try #require(desk.card())
        #expect(first.summary == "Trail Map: location?")
        let reason = "The app says: Shows &lt;b&gt;where&lt;/b&gt; &amp; when."
        #expect(first.body.hasPrefix("Your location, while you use the app.\n\(reason)\nThis is probably org.example"))
        #expect(first.labels == ["Allow Precise…", "Allow Approximate…", "Don’t Allow"])
        #expect(first.urgency == 2 && first.timeout == 0 && first.replaces == 0)
        desk.pressAfterReading(first, "approximate")
        let second = try #require(desk.card { $0.number != first.number })
        #expect(second.labels == ["Allow Once", "Allow While Using the App", "Don’t Allow"])
        #expect(eventually { desk.cards == [second] }, "the first is closed")
        desk.pressAfterReading(second, "allowOnce")
        #expect(try await daemon.awaitCalls(1) == [#"Answer {"prompt":1,"choice":"allowOnce","precise":false}"#])
        #expect(eventually { desk.cards.isEmpty })
        #expect(try agent.terminate(graceSeconds: 60) == .exited(143))
        desk.leave()
        await daemon.stop()
    }

    @Test func `a service without markup shows the text as it is, in the person's language`() async throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus, capabilities: ["actions", "body"])
        let daemon = try await AskingDaemon.start()
        let agent = try agent(daemon, bus, language: "fr_FR.UTF-8", arguments: [])
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap(kind: .temporaryFullAccuracy)))
        let card = try #require(desk.card())
        #expect(
            card.summary == "Trail Map : position ?" && card.body.hasPrefix("Position exacte, cette fois seulement."))
        #expect(card.body.contains("Shows <b>where</b> & when."))
        #expect(card.labels == ["Autoriser", "Ne pas autoriser"])
        desk.pressAfterReading(card, "allow")
        #expect(try await daemon.awaitCalls(1) == [#"Answer {"prompt":1,"choice":"allow"}"#])
        _ = try agent.terminate()
        await daemon.stop()
    }

    @Test func `a notification closed by the person is a dismissal, and the next prompt is shown`() async throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus)
        let daemon = try await AskingDaemon.start()
        let agent = try agent(daemon, bus)
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap(1)))
        await daemon.notify(.prompt(trailMap(2, name: "Other")))
        let first = try #require(desk.card())
        #expect(first.summary.hasPrefix("Trail Map"))
        desk.close(first, reason: 2)
        let second = try #require(desk.card { $0.number != first.number })
        #expect(second.summary.hasPrefix("Other"))
        #expect(await daemon.calls == [#"Dismiss {"prompt":1}"#])
        _ = try agent.terminate(graceSeconds: 60)
        #expect(eventually { desk.cards.isEmpty }, "an agent that ends closes its notifications")
        #expect(await daemon.calls.count == 1, "and answers nothing")
        await daemon.stop()
    }

    @Test func `an agent that ends before its notification has a number closes the notification`() async throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus)
        let daemon = try await AskingDaemon.start()
        let agent = try agent(daemon, bus)
        try await daemon.awaitAgent()
        desk.setSlow(true)
        await daemon.notify(.prompt(trailMap()))
        _ = try #require(desk.card())
        agent.signal(SIGTERM)
        // From when it has received the signal it waits for the service, but no longer than five seconds.
        #expect(try eventually { try !isPending(SIGTERM, of: agent.processID) })
        desk.setSlow(false)
        #expect(eventually { desk.cards.isEmpty })
        #expect(try agent.wait(seconds: 60) == .exited(128 + SIGTERM))
        #expect(await daemon.calls == [])
        await daemon.stop()
    }

    @Test func `a prompt that was answered elsewhere is closed`() async throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus)
        let daemon = try await AskingDaemon.start()
        let agent = try agent(daemon, bus)
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap()))
        let card = try #require(desk.card())
        await daemon.notify(.withdrawn(1))
        #expect(eventually { desk.cards.isEmpty })
        #expect(desk.closedByCall == [card.number])
        #expect(await daemon.calls == [])
        _ = try agent.terminate()
        await daemon.stop()
    }

    @Test func `a button that is pressed immediately is ignored, and the prompt is shown again`() async throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus)
        let daemon = try await AskingDaemon.start()
        let agent = try agent(daemon, bus)
        try await daemon.awaitAgent()
        desk.setSlow(true)
        await daemon.notify(.prompt(trailMap(kind: .changeToAlways)))
        let first = try #require(desk.card())
        // The agent receives the number of the notification and the press one directly after the other, however slow
        // the machine is.
        agent.signal(SIGSTOP)
        desk.setSlow(false)
        desk.press(first, "changeToAlways")
        #expect(eventually { desk.cards.isEmpty }, "the press is on its route")
        agent.signal(SIGCONT)
        let again = try #require(desk.card { $0.number == 2 })
        #expect(again.keys == ["keepWhileUsing", "changeToAlways"])
        #expect(await daemon.calls == [])
        _ = try agent.terminate()
        await daemon.stop()
    }

    @Test(arguments: ["dunst", "mako"])
    func `on a service that shows no buttons the notification names the command, and closing it dismisses nothing`(
        program: String
    ) async throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus, program: program)
        let daemon = try await AskingDaemon.start()
        let agent = try agent(daemon, bus)
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap()))
        let first = try #require(desk.card())
        #expect(first.body.contains("`waymark agent`"), "\(first.body)")
        desk.close(first, reason: 2)
        // The agent has handled the end of the first notification before it shows the next prompt.
        await daemon.notify(.prompt(trailMap(2, kind: .changeToAlways)))
        _ = try #require(desk.card { $0.number != first.number })
        #expect(await daemon.calls == [])
        _ = try agent.terminate()
        await daemon.stop()
    }

    @Test func `a button signal of another program on the bus is ignored`() async throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus)
        let forger = try NotificationDesk(bus, ownsName: false)
        let daemon = try await AskingDaemon.start()
        let agent = try agent(daemon, bus)
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap(kind: .changeToAlways)))
        let card = try #require(desk.card())
        #expect(desk.acceptsButtons(card))
        forger.forge(card, "changeToAlways")
        forger.leave()
        // The agent has handled the forged signal before it receives the real one after it.
        desk.press(card, "keepWhileUsing")
        #expect(try await daemon.awaitCalls(1) == [#"Answer {"prompt":1,"choice":"keepWhileUsing"}"#])
        _ = try agent.terminate()
        await daemon.stop()
    }

    @Test func `without a notification service no agent is registered, and a new service gets the prompts`()
        async throws
    {
        let bus = try PrivateBus()
        let daemon = try await AskingDaemon.start()
        let agent = try agent(daemon, bus)
        #expect(try PollDeadline(seconds: 60).poll(agent.errorPipe, for: POLLIN), "it reports that there is none")
        #expect(await daemon.registrations == 0)
        let first = try NotificationDesk(bus)
        try await daemon.awaitAgent(1)
        await daemon.list([trailMap()])
        await daemon.notify(.prompt(trailMap()))
        #expect(first.card() != nil)
        first.leave()
        try await daemon.eventually("the registration ends") { !$0.hasAgent }
        let second = try NotificationDesk(bus)
        try await daemon.awaitAgent(2)
        #expect(second.card()?.summary == "Trail Map: location?")
        #expect(await daemon.calls == [])
        _ = try agent.terminate()
        await daemon.stop()
    }

    @Test func `a bus that restarts is found again`() async throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus)
        let daemon = try await AskingDaemon.start()
        let agent = try agent(daemon, bus)
        try await daemon.awaitAgent(1)
        try bus.stop()
        try await daemon.eventually("the registration ends") { !$0.hasAgent }
        try bus.start()
        let again = try NotificationDesk(bus)
        try await daemon.awaitAgent(2)
        await daemon.notify(.prompt(trailMap()))
        #expect(again.card() != nil)
        _ = try agent.terminate()
        _ = desk
        await daemon.stop()
    }

    @Test func `a restarting daemon closes its prompts, and the agent connects to it again`() async throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus)
        let daemon = try await AskingDaemon.start()
        let agent = try agent(daemon, bus)
        try await daemon.awaitAgent(1)
        await daemon.notify(.prompt(trailMap()))
        #expect(desk.card() != nil)
        try await daemon.restart()
        #expect(eventually { desk.cards.isEmpty })
        try await daemon.awaitAgent(2)
        _ = try agent.terminate()
        await daemon.stop()
    }

    @Test func `the indicator is replaced in place and removed when no session is left`() async throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus)
        let daemon = try await AskingDaemon.start()
        let agent = try agent(daemon, bus)
        try await daemon.awaitAgent()
        let (one, two) = (
            AgentMessage.Hold(app: "a", name: TranslatedText("One")),
            AgentMessage.Hold(app: "b", name: TranslatedText("Two"))
        )
        await daemon.notify(.holds([one]))
        let first = try #require(desk.card())
        #expect(first.summary == "Location in use" && first.body == "In the background: One")
        #expect(first.urgency == 0 && first.actions == [])
        await daemon.notify(.holds([one, two]))
        let both = try #require(desk.card { $0.body.contains("In the background: Two") })
        #expect(both.number == first.number && both.replaces == first.number)
        await daemon.notify(.holds([]))
        #expect(eventually { desk.cards.isEmpty })
        _ = try agent.terminate()
        await daemon.stop()
    }

    @Test func `on a desktop without buttons the prompt is shown in the terminal, if there is one`() async throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus, capabilities: ["body"])
        let daemon = try await AskingDaemon.start()
        let terminal = try TypedTerminal(
            Products.program("waymark"), ["agent", "--desktop"],
            environment: [
                "WAYMARK_SOCKET": daemon.socketPath, "LC_ALL": "C", "DBUS_SESSION_BUS_ADDRESS": bus.address,
            ])
        #expect(terminal.shows("has no buttons. Using the terminal."))
        try await daemon.awaitAgent()
        await daemon.notify(.prompt(trailMap()))
        #expect(terminal.shows("Trail Map would like"))
        #expect(desk.cards.isEmpty)
        await daemon.stop()
    }

    @Test func `on a desktop without buttons and without a terminal no agent is registered`() async throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus, capabilities: ["body"])
        let daemon = try await AskingDaemon.start()
        let agent = try agent(daemon, bus)
        #expect(try PollDeadline(seconds: 60).poll(agent.errorPipe, for: POLLIN))
        #expect(await daemon.registrations == 0)
        desk.leave()
        _ = try NotificationDesk(bus)
        try await daemon.awaitAgent()
        _ = try agent.terminate()
        await daemon.stop()
    }

    @Test func `an agent that waits makes no wake-up`() async throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus)
        let daemon = try await AskingDaemon.start()
        let agent = try agent(daemon, bus)
        try await daemon.awaitAgent()
        await daemon.notify(.holds([AgentMessage.Hold(app: "a", name: TranslatedText("One"))]))
        #expect(desk.card() != nil)
        // The answer to the notification may still be in transit: the following time is measured from a second of
        // silence on.
        var before = try switches(agent.processID)
        var quietSince = SystemClock().monotonicNanoseconds
        let isQuiet = try eventually(within: 60) {
            let now = try switches(agent.processID)
            if now != before { quietSince = SystemClock().monotonicNanoseconds }
            before = now
            return SystemClock().monotonicNanoseconds - quietSince > 2_000_000_000
        }
        #expect(isQuiet, "two seconds without being scheduled")
        _ = try agent.terminate()
        await daemon.stop()
    }

    /// How often a process was scheduled out.
    private func switches(_ process: pid_t) throws -> String { try status(process, "voluntary_ctxt_switches") }

    /// Whether a process has not received a signal yet that was sent to it.
    private func isPending(_ signal: Int32, of process: pid_t) throws -> Bool {
        let line = try status(process, "ShdPnd:")
        let signals = try #require(line.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) })
        return signals & (1 << UInt64(signal - 1)) != 0
    }

    /// The lines with a word of what the kernel says about a process, proc(5).
    private func status(_ process: pid_t, _ word: String) throws -> String {
        let file = try #require(fopen("/proc/\(process)/status", "r"))
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 256)
        var lines = ""
        while fgets(&buffer, Int32(buffer.count), file) != nil {
            let line = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if line.contains(word) { lines += line }
        }
        return lines
    }
}

extension AskingDaemon {
    /// The messages to an agent that registers from now on.
    func list(_ questions: [Question]) { listed = questions }
}
