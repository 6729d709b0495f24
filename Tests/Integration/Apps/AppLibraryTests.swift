import Glibc
import Interfaces
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink
import Waymark

/// The Swift library as an app uses it: the test itself is the app, known by its program.
@Suite(.waits, .timeLimit(.minutes(15)))
struct AppLibraryTests {
    private let apps: TestApps

    init() throws {
        apps = try TestApps()
        try apps.add(
            "compass", name: "Compass", program: try TestApps.ownProgram(),
            "UserTrackingUsageDescription=Finds out who buys walking boots.\n[TemporaryUsage]\nNavigation=Turns the dial."
        )
    }

    private func start(gpsd: String = "none", agents: [String] = []) throws -> DaemonProcess {
        try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(agents: agents) + TestApps.patientReceiver,
            gpsd: gpsd, more: ["--simulated"], knowsLogins: false)
    }

    private func client(_ daemon: DaemonProcess) -> WaymarkClient { WaymarkClient(socketPath: daemon.socketPath) }

    private func authorize(_ status: ManageInterface.Authorize.Status, _ daemon: DaemonProcess) throws {
        try OperatorClient(daemon).authorize("compass", status, uid: geteuid())
    }

    /// The next element that is wanted; nil where the sequence ends before.
    private func next<Iterator: AsyncIteratorProtocol>(
        of iterator: inout Iterator, where isWanted: (Iterator.Element) -> Bool
    ) async throws -> Iterator.Element? {
        while let element = try await iterator.next() {
            if isWanted(element) { return element }
        }
        return nil
    }

    // Positions

    @Test func `an app gets positions while it declares that it is in use, and is notified when it loses them`()
        async throws
    {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try start(gpsd: receiver.address)
        let client = client(daemon)
        let before = try await client.authorization()
        #expect(before.status == .notDetermined && before.app == "compass" && before.assurance == "program")
        #expect(!before.isInUse)

        try authorize(.whileUsing, daemon)
        var authorizations = client.authorizations().makeAsyncIterator()
        let allowed = try #require(try await authorizations.next())
        #expect(allowed.status == .authorizedWhenInUse && allowed.accuracy == .full)
        #expect(allowed.insufficientlyInUse && !allowed.authorizationDenied)
        var updates = client.updates().makeAsyncIterator()
        let paused = try #require(try await updates.next())
        #expect(paused.position == nil && paused.insufficientlyInUse && !paused.locationUnavailable)

        let session = ActivitySession(client: client)
        #expect(try await session.declared().isInUse)
        #expect(session.activity == .active)
        #expect(try await next(of: &authorizations) { $0.isInUse }?.insufficientlyInUse == false)
        let update = try #require(try await next(of: &updates) { $0.position != nil })
        #expect(update.authorizationStatus == .authorizedWhenInUse && !update.insufficientlyInUse)

        session.setActivity(.background)
        #expect(try await !session.declared().isInUse)
        #expect(try await next(of: &updates) { $0.position == nil }?.insufficientlyInUse == true)
        session.setActivity(.active)
        #expect(try await next(of: &updates) { $0.position != nil } != nil)

        try authorize(.deny, daemon)
        let refusal = await #expect(throws: WaymarkError.self) { while try await updates.next() != nil {} }
        guard case .refused(.denied, _)? = refusal else {
            Issue.record("ended with \(String(describing: refusal))")
            return
        }
        #expect(try await next(of: &authorizations) { $0.status == .denied }?.authorizationDenied == true)
    }

    @Test func `an app that stopped reading learns later how many positions it missed`() async throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try start(gpsd: receiver.address)
        try authorize(.always, daemon)
        var updates = client(daemon).updates().makeAsyncIterator()
        #expect(try await next(of: &updates) { $0.position != nil } != nil)
        let reader = try UpdateReader(daemon.socketPath)
        defer { reader.stop() }
        // The newest position is pending. It and the one after it count the positions that they have replaced: as many
        // as the library's thread has received, which may lag behind.
        var missed = Int64(0)
        while missed < 10, reader.receives(15), let update = try await updates.next() { missed += update.dropped }
        #expect(missed >= 10)
    }

    @Test func `one position, the satellites and the status are awaited without blocking a thread`() async throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try start(gpsd: receiver.address)
        let client = client(daemon)
        let undecided = await #expect(throws: WaymarkError.self) { _ = try await client.position() }
        guard case .refused(.notDetermined, let message)? = undecided else {
            Issue.record("ended with \(String(describing: undecided))")
            return
        }
        #expect(!message.isEmpty)
        #expect(try await "\(client.authorization())" == "Not determined: nobody has decided about the app.")
        try authorize(.always, daemon)
        let position = try await client.position(PositionRequest(timeout: 60))
        #expect(position.isSimulated && position.accuracy == .full)
        #expect(try await !client.satellites().satellites.isEmpty)
        let authorization = try await client.authorization()
        #expect("\(authorization)" == "Authorized always, with full accuracy; the app is not in use.")
        // The test is an operator's program known by its file only, which stays an operator.
        #expect(try await client.status().accepted > 0)

        // A call that waits ends with its task.
        receiver.stop()
        // The daemon has read every report.
        #expect(try eventually { try OperatorClient(daemon).status().receiver.state != .watching })
        let waiting = Task { try await client.position(PositionRequest(maximumAge: 0, timeout: 600)) }
        #expect(try eventually { try OperatorClient(daemon).call(.status)["status"] != nil })
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    }

    // Requests

    @Test func `a request without an agent to show it reports that immediately`() async throws {
        let daemon = try start()
        let client = client(daemon)
        #expect(try await client.requestWhenInUseAuthorization().insufficientlyInUse, "no prompt is open yet")
        let session = ActivitySession(.active, client: client)
        _ = try await session.declared()
        let answer = try await client.requestWhenInUseAuthorization()
        #expect(answer.status == .notDetermined && answer.agentUnavailable && answer.isInUse)
        #expect(try OperatorClient(daemon).requests().map(\.question.kind) == [.whenInUse])
    }

    @Test func `a request that the manifest does not explain names the missing text`() async throws {
        let daemon = try start()
        let client = client(daemon)
        let missing = await #expect(throws: WaymarkError.self) {
            try await client.requestTemporaryFullAccuracyAuthorization(purposeKey: "Astrology")
        }
        guard case .purposeMissing(key: "Astrology", let message)? = missing else {
            Issue.record("ended with \(String(describing: missing))")
            return
        }
        #expect(message.contains("Astrology"))
    }

    /// The daemon's replies to programs that, unlike a test, cannot be an operator's.
    @Test(
        arguments: [
            (.denied, .refused(.denied, message: "a sentence")),
            (.manifestMissing, .refused(.manifestMissing, message: "a sentence")),
            (.notInUse, .refused(.notInUse, message: "a sentence")),
            (.purposeMissing, .purposeMissing(key: "Astrology", message: "a sentence")),
            (.requestInProgress, .requestInProgress(message: "a sentence")),
            (.notStored, .notStored(message: "a sentence")),
        ] as [(ErrorName, WaymarkError)])
    func `an error of the interface becomes an error of the library, with its message`(
        _ name: ErrorName, _ error: WaymarkError
    ) {
        let reply = VarlinkError.reply(name: name.rawValue, parameters: ["key": "Astrology", "message": "a sentence"])
        #expect(WaymarkError(reply, socketPath: "/nowhere") == error)
        #expect(error.description == "a sentence")
    }

    @Test(.enabled(if: OtherUser.isPossible, "only root has programs that their user cannot change"))
    func `a person allows the app to track, and the app receives the identifier until that is withdrawn`() async throws
    {
        let program = try apps.program("agent")
        let daemon = try start(agents: [program])
        let agent = try AppClient(program, to: daemon.socketPath, as: geteuid())
        #expect(try agent.register().isEmpty)
        let client = client(daemon)
        #expect(try await client.requestTrackingAuthorization() == .notDetermined, "it is not in use")
        #expect(try await client.advertisingIdentifier == .zero)
        let session = ActivitySession(.active, client: client)
        _ = try await session.declared()
        let waiting = Task { try await client.requestTrackingAuthorization() }
        let prompt = try #require(try await question(agent))
        #expect(prompt.kind == .tracking)
        let second = await #expect(throws: WaymarkError.self) { try await client.requestTrackingAuthorization() }
        guard case .requestInProgress? = second else {
            Issue.record("ended with \(String(describing: second))")
            return
        }
        try answer(prompt, .allow, daemon)
        #expect(try await waiting.value == .authorized)
        #expect(try await client.trackingAuthorizationStatus == .authorized)
        let identifier = try await client.advertisingIdentifier
        #expect(identifier.isRandom)
        #expect(try await client.advertisingIdentifier == identifier)
        _ = try OperatorClient(daemon).call(
            ManageInterface.AuthorizeTracking(app: "compass", uid: geteuid(), status: .deny))
        #expect(try await client.advertisingIdentifier == .zero)
        #expect(try await client.requestTrackingAuthorization() == .denied)
        // The purpose is removed, and the decision with it.
        try apps.add("compass", name: "Compass", program: try TestApps.ownProgram())
        _ = try OperatorClient(daemon).call(
            ManageInterface.AuthorizeTracking(app: "compass", uid: geteuid(), status: .undecided))
        let isMissing = try await eventually {
            do {
                _ = try await client.requestTrackingAuthorization()
                return false
            } catch WaymarkError.purposeMissing(let key, _) { return key == "UserTrackingUsageDescription" } catch {
                return false
            }
        }
        #expect(isMissing, "\(daemon.log)")
        session.invalidate()
    }

    @Test(.enabled(if: OtherUser.isPossible, "only root has programs that their user cannot change"))
    func `a request waits for the person, and can be cancelled meanwhile`() async throws {
        let program = try apps.program("agent")
        let daemon = try start(agents: [program])
        let agent = try AppClient(program, to: daemon.socketPath, as: geteuid())
        #expect(try agent.register().isEmpty)
        let client = client(daemon)
        let session = ActivitySession(.active, client: client)
        _ = try await session.declared()

        let abandoned = Task { try await client.requestWhenInUseAuthorization() }
        #expect(try await question(agent)?.kind == .whenInUse)
        let second = await #expect(throws: WaymarkError.self) { try await client.requestWhenInUseAuthorization() }
        guard case .requestInProgress? = second else {
            Issue.record("ended with \(String(describing: second))")
            return
        }
        abandoned.cancel()
        await #expect(throws: CancellationError.self) { try await abandoned.value }
        #expect(try OperatorClient(daemon).requests().count == 1, "the person may answer all the same")
        let open = try #require(try OperatorClient(daemon).requests().first).question
        try answer(open, .allowWhileUsing, daemon)
        #expect(try await eventually { try await client.authorization().status == .authorizedWhenInUse })

        let waiting = Task { try await client.requestAlwaysAuthorization() }
        let always = try #require(try await question(agent))
        #expect(always.kind == .changeToAlways || always.kind == .always)
        try answer(always, .changeToAlways, daemon)
        #expect(try await waiting.value.status == .authorizedAlways)
        await #expect(throws: CancellationError.self) {
            try await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await client.authorization()
            }.value
        }
    }

    /// The next prompt that an agent receives, without blocking a thread meanwhile.
    private func question(_ agent: AppClient) async throws -> Question? {
        let deadline = PollDeadline(seconds: 60)
        while !deadline.hasPassed {
            if case .prompt(let question)? = try agent.nextMessage(seconds: 0.01) { return question }
            await Task.yield()
        }
        return nil
    }

    private func answer(_ question: Question, _ choice: PromptChoice, _ daemon: DaemonProcess) throws {
        try OperatorClient(daemon).call(.answer) { writer in
            writer.object { writer in
                writer.member("id", question.id)
                writer.member("choice", choice.rawValue)
            }
        }
    }

    // Sessions

    @Test func `with a background session the app stays in use until the session is invalidated or released`()
        async throws
    {
        let daemon = try start()
        let client = client(daemon)
        try authorize(.whileUsing, daemon)
        let early = BackgroundActivitySession(client: client)
        let refusal = await #expect(throws: WaymarkError.self) { try await early.begun() }
        guard case .refused(.notInUse, _)? = refusal, early.state == .ended(refusal) else {
            Issue.record("ended with \(String(describing: refusal)), \(early.state)")
            return
        }

        let session = ActivitySession(.active, client: client)
        _ = try await session.declared()
        let hold = BackgroundActivitySession(client: client)
        #expect(try await hold.begun().isInUse)
        session.setActivity(.background)
        #expect(try await session.declared().isInUse)
        #expect(try OperatorClient(daemon).app("compass")?.holds == 1)
        hold.invalidate()
        var states = hold.states().makeAsyncIterator()
        while let state = await states.next() { if case .ended(let error) = state { #expect(error == nil) } }
        #expect(hold.state == .ended(nil))
        #expect(try await eventually { try await !client.authorization().isInUse })

        session.setActivity(.active)
        _ = try await session.declared()
        var forgotten: BackgroundActivitySession? = BackgroundActivitySession(client: client)
        _ = try await forgotten?.begun()
        #expect(try OperatorClient(daemon).app("compass")?.holds == 1)
        forgotten = nil
        #expect(try eventually { try OperatorClient(daemon).app("compass")?.holds == 0 })
    }

    @Test
    func `a background session begins again after the daemon was unavailable, and reports when it is no longer valid`()
        async throws
    {
        let daemon = try start()
        let client = client(daemon)
        try authorize(.whileUsing, daemon)
        let session = ActivitySession(.active, client: client)
        _ = try await session.declared()
        let lasting = BackgroundActivitySession(client: client)
        _ = try await lasting.begun()
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        #expect(try eventually { try OperatorClient(daemon).app("compass")?.holds == 1 })
        lasting.invalidate()
        #expect(try eventually { try OperatorClient(daemon).app("compass")?.holds == 0 })
        #expect(try await eventually { try await client.authorization().isInUse })
        let removed = BackgroundActivitySession(client: client)
        _ = try await removed.begun()
        try retrying("remove") { unlink(apps.directory.file("apps/compass.app")) }
        // With the next call at the latest the program is known not to be the app any more.
        #expect(try await eventually { try await client.authorization().app == nil })
        var last: BackgroundActivitySession.State?
        for await state in removed.states() { last = state }
        guard case .ended(.refused(.notInUse, _)?)? = last else {
            Issue.record("ended as \(String(describing: last))")
            return
        }
    }

    @Test func `an activity is declared again to a daemon that was killed, and ends with its object`() async throws {
        let daemon = try start()
        let client = client(daemon)
        var session: ActivitySession? = ActivitySession(.inactive, client: client)
        #expect(try await session?.declared().isInUse == true)
        daemon.signal(SIGKILL)
        #expect(try daemon.wait() == .killed(signal: SIGKILL))
        #expect(
            eventually {
                if case .connecting(after: _?)? = session?.state { true } else { false }
            })
        let unreachable = await #expect(throws: WaymarkError.self) { try await client.authorization() }
        guard case .notRunning? = unreachable else {
            Issue.record("ended with \(String(describing: unreachable))")
            return
        }
        try daemon.restart()
        #expect(try await eventually { try await client.authorization().isInUse }, "\(daemon.log)")
        session = nil
        #expect(try await eventually { try await !client.authorization().isInUse })
    }

    @Test func `an invalidated session notifies everybody who follows it`() async throws {
        let daemon = try start()
        let session = ActivitySession(.active, client: client(daemon))
        _ = try await session.declared()
        async let ends = session.states().reduce(into: []) { $0.append($1) }
        session.invalidate()
        #expect(await ends.last == .ended)
        await #expect(throws: CancellationError.self) { try await session.declared() }
        #expect(await session.states().reduce(into: []) { $0.append($1) } == [.ended])
    }
}
