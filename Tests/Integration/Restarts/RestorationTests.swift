import Glibc
import Interfaces
import Location
import Platform
import TestSupport
import Testing
import Varlink
import Waymark

/// What apps had registered and been allowed, over the daemon's end: in order, killed, with a service manager that keeps
/// connections and without one, with state that cannot be read, and after somebody took it away meanwhile.
@Suite(.serialized, .enabled(if: OtherUser.isPossible, "only root can connect as somebody else"))
struct RestorationTests {
    private let receiver: PlayedReceiver
    private let apps: TestApps
    private let program: String
    private let agent: String

    init() throws {
        receiver = try PlayedReceiver.tenHertz()
        apps = try TestApps()
        program = try apps.program("trailmap")
        agent = try apps.program("agent")
        try apps.add(
            "trailmap", name: "Trail Map", program: program,
            "Record=yes\n[TemporaryUsage]\nNavigation=Says when to turn.")
    }

    /// A daemon whose clients' connections are kept.
    private func host() throws -> ServiceHost {
        var surroundings = DaemonSurroundings()
        surroundings.knowsLogins = false
        return try ServiceHost(
            in: apps.directory, configuration: apps.configuration(agents: [agent]), gpsd: receiver.address,
            more: ["--simulated"], surroundings: surroundings)
    }

    /// A daemon that no service manager started.
    private func daemon() throws -> DaemonProcess {
        try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(agents: [agent]), gpsd: receiver.address,
            more: ["--simulated"], knowsLogins: false)
    }

    // What an app does

    /// An app in use that was allowed once, by an operator in the person's place.
    private func allowedOnce(_ path: String) throws -> AppClient {
        let app = try AppClient(program, to: path)
        try app.call(LocationMethod.setActivity.rawValue, #"{"activity":"active"}"#)
        try app.call(LocationMethod.requestWhenInUse.rawValue)
        try answer(path, "allowOnce")
        return app
    }

    /// Answers the one question there is.
    private func answer(_ path: String, _ choice: String) throws {
        let manage = try OperatorClient(path)
        let request = try #require(try manage.requests().first)
        try manage.client.call(
            ManageMethod.answer.rawValue, ["id": .integer(Int64(request.question.id)), "choice": .string(choice)],
            timeout: .seconds(10))
    }

    /// Reads updates until one has a position; nil where none has within so many.
    private func position(_ app: AppClient, seconds: Double = 10) throws -> JSON? {
        for _ in 0..<200 {
            guard let reply = try app.next(seconds: seconds) else { return nil }
            if let position = reply.parameters["update"]?["position"], position != .null { return position }
            if reply.error != nil { return nil }
        }
        return nil
    }

    /// Reads what was written before the daemon's end.
    private func drain(_ app: AppClient) throws { while try app.next(seconds: 0.3) != nil {} }

    private func events(_ path: String, _ kind: String) throws -> [JournalEntry] {
        let reply = try OperatorClient(path).client.call(
            JournalMethod.read.rawValue, ["kinds": .array([.string(kind)]), "limit": 100], timeout: .seconds(20))
        return (reply["events"]?.arrayValue ?? []).compactMap(JournalEntry.init)
    }

    // What lasts as long as an app is in use

    @Test(arguments: [SIGTERM, SIGKILL])
    func `what was allowed once outlasts restarts under the same process, and nobody is asked`(_ signal: Int32) throws {
        defer { receiver.stop() }
        let host = try host()
        let app = try allowedOnce(host.socketPath)
        try app.begin(LocationMethod.monitor.rawValue, more: true)
        #expect(try position(app) != nil)
        try host.waitForStored(2)
        for round in 1...3 {
            try host.kill(signal)
            try drain(app)
            try host.start()
            #expect(try position(app) != nil, "after restart \(round)\n\(host.log.suffix(3_000))")
        }
        let manage = try OperatorClient(host.socketPath)
        #expect(try manage.app("trailmap")?.permission == .once)
        #expect(try manage.requests().isEmpty)
        // What a kill cut off of the journal is not there.
        let restored = signal == SIGTERM ? 3 : 1
        #expect(try eventually { try events(host.socketPath, "stateRestored").count >= restored })
        // It is this process's alone.
        try app.kill()
        #expect(try eventually { try manage.app("trailmap")?.permission == .notDetermined })
    }

    @Test func `an app that was in use for long is known to have been until a crash`() throws {
        defer { receiver.stop() }
        let host = try host()
        let app = try allowedOnce(host.socketPath)
        try app.begin(LocationMethod.monitor.rawValue, more: true)
        let deadline = PollDeadline(seconds: 11)
        while !deadline.hasPassed { #expect(try position(app) != nil) }
        try host.waitForStored(2)
        try host.kill(SIGKILL)
        try drain(app)
        try host.start()
        #expect(try position(app) != nil, "\(host.log.suffix(3_000))")
    }

    @Test func `what was allowed once ends with the process that had it while the daemon is away`() throws {
        defer { receiver.stop() }
        let host = try host()
        let app = try allowedOnce(host.socketPath)
        try app.begin(LocationMethod.monitor.rawValue, more: true)
        #expect(try position(app) != nil)
        try host.waitForStored(2)
        try host.kill(SIGKILL)
        try app.kill()
        try host.start()
        let other = try AppClient(program, to: host.socketPath)
        let declared = try other.call(LocationMethod.setActivity.rawValue, #"{"activity":"active"}"#)
        #expect(declared.parameters["authorization"]?["status"] == "notDetermined", "\(declared)")
        #expect(try other.call(LocationMethod.getPosition.rawValue).error == ErrorName.notDetermined.rawValue)
        // It may ask anew at once.
        try other.call(LocationMethod.requestWhenInUse.rawValue)
        #expect(try OperatorClient(host.socketPath).requests().count == 1)
        #expect(try OperatorClient(host.socketPath).app("trailmap")?.permission == .notDetermined)
    }

    @Test func `ten seconds without a daemon are ten seconds out of use`() throws {
        defer { receiver.stop() }
        let host = try host()
        let app = try allowedOnce(host.socketPath)
        try app.begin(LocationMethod.monitor.rawValue, more: true)
        #expect(try position(app) != nil)
        try host.waitForStored(2)
        try host.kill(SIGTERM)
        try drain(app)
        #expect(try app.next(seconds: 10.2) == nil)
        try host.start()
        let reply = try #require(try app.next())
        #expect(reply.error == ErrorName.notDetermined.rawValue, "\(reply)")
        #expect(try OperatorClient(host.socketPath).app("trailmap")?.permission == .notDetermined)
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `full accuracy for a while outlasts a restart`(_ signal: Int32) throws {
        defer { receiver.stop() }
        let host = try host()
        try OperatorClient(host.socketPath).authorize(
            "trailmap", .whileUsing, uid: OtherUser.nobody, accuracy: .reduced)
        let app = try AppClient(program, to: host.socketPath)
        try app.call(LocationMethod.setActivity.rawValue, #"{"activity":"active"}"#)
        try app.call(LocationMethod.requestTemporaryFullAccuracy.rawValue, #"{"purposeKey":"Navigation"}"#)
        try answer(host.socketPath, "allow")
        try app.begin(LocationMethod.monitor.rawValue, more: true)
        #expect(try position(app)?["accuracy"] == "full")
        try host.waitForStored(2)
        try host.kill(signal)
        try drain(app)
        try host.start()
        #expect(try position(app)?["accuracy"] == "full", "\(host.log.suffix(3_000))")
        #expect(try app.next() != nil)
        try app.kill()
        #expect(
            try eventually { try OperatorClient(host.socketPath).app("trailmap")?.accuracy == .reduced },
            "what is stored stays")
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `without a service manager the same process has what was allowed once when it connects again`(
        _ signal: Int32
    ) throws {
        defer { receiver.stop() }
        try apps.add("own", name: "Own", program: try TestApps.ownProgram())
        let daemon = try daemon()
        func connect() throws -> Client { try Client(adopting: OtherUser.connect(to: daemon.socketPath)) }
        func active(_ client: Client) throws {
            try client.call(
                LocationMethod.setActivity.rawValue, ["activity": "active"], timeout: .seconds(10))
        }
        let first = try connect()
        try active(first)
        try first.call(LocationMethod.requestWhenInUse.rawValue, timeout: .seconds(10))
        try answer(daemon.socketPath, "allowOnce")
        #expect(try first.call(LocationMethod.getPosition.rawValue, timeout: .seconds(10))["position"] != nil)
        for _ in 0..<2 {
            daemon.signal(signal)
            _ = try daemon.wait()
            try daemon.restart()
            let again = try connect()
            try active(again)
            #expect(try again.call(LocationMethod.getPosition.rawValue, timeout: .seconds(10))["position"] != nil)
        }
        #expect(try OperatorClient(daemon).app("own")?.permission == .once)
        // Without it, it ends as before.
        #expect(try eventually(within: 20) { try OperatorClient(daemon).app("own")?.permission == .notDetermined })
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `a screen that somebody said is locked stays locked`(_ signal: Int32) throws {
        defer { receiver.stop() }
        let host = try host()
        try OperatorClient(host.socketPath).authorize("trailmap", .whileUsing, uid: OtherUser.nobody)
        let app = try AppClient(program, to: host.socketPath)
        try app.call(LocationMethod.setActivity.rawValue, #"{"activity":"active"}"#)
        func lock(_ isLocked: Bool) throws {
            try OperatorClient(host.socketPath).call(.setLocked) {
                LockRequest(uid: OtherUser.nobody, isLocked: isLocked).write(to: &$0)
            }
        }
        try lock(true)
        #expect(try app.call(LocationMethod.getPosition.rawValue).error == ErrorName.notInUse.rawValue)
        for _ in 0..<2 {
            try host.restart(signal)
            let fresh = try AppClient(program, to: host.socketPath)
            try fresh.call(LocationMethod.setActivity.rawValue, #"{"activity":"active"}"#)
            #expect(try fresh.call(LocationMethod.getPosition.rawValue).error == ErrorName.notInUse.rawValue)
        }
        try lock(false)
        try host.restart(signal)
        let fresh = try AppClient(program, to: host.socketPath)
        try fresh.call(LocationMethod.setActivity.rawValue, #"{"activity":"active"}"#)
        #expect(try fresh.call(LocationMethod.getPosition.rawValue).error == nil)
    }

    // What was taken away

    /// What somebody does to an app, before the daemon ends or while it is away.
    enum Removal: String, CaseIterable {
        case reset, denied, servicesOff, purgedBefore, purged, restricted, bindingChanged

        /// Whether it is done while the daemon is away.
        var isMeanwhile: Bool { self == .purged || self == .restricted || self == .bindingChanged }
    }

    private func take(_ removal: Removal, _ path: String) throws {
        switch removal {
        case .reset:
            try OperatorClient(path).call(.reset) {
                AppRequest(app: "trailmap", uid: OtherUser.nobody).write(to: &$0)
            }
        case .denied: try OperatorClient(path).authorize("trailmap", .deny, uid: OtherUser.nobody)
        case .servicesOff:
            try OperatorClient(path).call(.setServicesEnabled) { ServicesRequest(isEnabled: false).write(to: &$0) }
        case .purgedBefore, .purged:
            try retrying("remove") { unlink(apps.directory.file("apps/trailmap.app")) }
            if removal == .purgedBefore {
                #expect(try eventually { try OperatorClient(path).app("trailmap")?.manifest == nil })
            }
        case .restricted: try apps.restrict("[Restrictions]\nDenyApps=trailmap\n")
        case .bindingChanged:
            try apps.add("trailmap", name: "Trail Map", program: "/usr/bin/trailmap", "Record=yes")
        }
    }

    @Test(arguments: Removal.allCases, [SIGTERM, SIGKILL])
    func `what somebody took away does not come back`(_ removal: Removal, _ signal: Int32) throws {
        defer { receiver.stop() }
        let host = try host()
        // One that records always, one that was allowed once before: the later decision counts for both.
        let app = try allowedOnce(host.socketPath)
        try app.begin(LocationMethod.monitor.rawValue, more: true)
        #expect(try position(app) != nil)
        let recorder = try AppClient(program, to: host.socketPath)
        let started = try recorder.call(
            RecordingMethod.start.rawValue, #"{"identifier":"trip","options":{"onRevoke":"keep"}}"#)
        #expect(started.error == nil, "\(started)")
        let holder = try AppClient(program, to: host.socketPath)
        try holder.begin(LocationMethod.holdInUse.rawValue, more: true)
        #expect(try holder.next()?.error == nil)
        #expect(try eventually { try recordings(host.socketPath).first.map { $0.last > 3 } ?? false })
        try host.waitForStored(4)
        if !removal.isMeanwhile { try take(removal, host.socketPath) }
        try host.kill(signal)
        if removal.isMeanwhile { try take(removal, host.socketPath) }
        try drain(app)
        try host.start()
        #expect(try position(app, seconds: 1) == nil, "\(host.log.suffix(3_000))")
        // The recording is known and does not go on; nothing of the receiver is wanted for it.
        let recording = try #require(try recordings(host.socketPath).first)
        #expect(recording.state != "recording", "\(recording)")
        let before = recording.last
        let fresh = try AppClient(program, to: host.socketPath)
        #expect(try fresh.call(LocationMethod.getPosition.rawValue).error != nil)
        #expect(try fresh.next(seconds: 0.5) == nil)
        #expect(try recordings(host.socketPath).first?.last == before)
        if removal == .purged || removal == .purgedBefore || removal == .bindingChanged {
            #expect(try OperatorClient(host.socketPath).app("trailmap")?.isInUse != true)
            #expect(try holder.next()?.error != nil, "a session of what is no app any more goes on")
        }
    }

    private func recordings(_ path: String) throws -> [KnownRecording] {
        let reply = try Client(path: path, timeout: .seconds(20)).call(
            RecordingMethod.list.rawValue, timeout: .seconds(20))
        return try #require(reply["recordings"]?.arrayValue).compactMap(KnownRecording.init)
    }

    // State that cannot be read

    /// What can be wrong with a file.
    enum Flaw: String, CaseIterable {
        case garbage, truncated, newer, openToOthers, anotherUsers, link, directory
    }

    @Test(arguments: ["continuation.state", "reduced.state"], Flaw.allCases)
    func `a state file that cannot be used is set aside, said, and missed by nobody`(_ name: String, _ flaw: Flaw)
        throws
    {
        defer { receiver.stop() }
        // Whoever may write to the daemon's directory is trusted with what is shown.
        if name == "reduced.state", flaw == .openToOthers || flaw == .link || flaw == .anotherUsers { return }
        let daemon = try daemon()
        _ = try daemon.stop()
        let path = apps.directory.file("state/\(name)")
        unlink(path)
        let signature = name == "reduced.state" ? "WMRED" : "WMCON"
        switch flaw {
        case .garbage: try apps.directory.write("state/\(name)", "no state at all")
        case .truncated: try apps.directory.write("state/\(name)", "\(signature) 1\n")
        case .newer: try apps.directory.write("state/\(name)", "\(signature) 2\n")
        case .openToOthers, .anotherUsers: try apps.directory.write("state/\(name)", "")
        case .link: try retrying("link") { symlink("/dev/null", path) }
        case .directory: try retrying("make") { mkdir(path, 0o700) }
        }
        if flaw != .link, flaw != .directory {
            try retrying("chmod", subject: path) { chmod(path, flaw == .openToOthers ? 0o666 : 0o600) }
        }
        if flaw == .anotherUsers {
            try retrying("chown", subject: path) { chown(path, OtherUser.nobody, gid_t(OtherUser.nobody)) }
        }
        try daemon.restart()
        // Reduced accuracy is read when the journal is open.
        let isTold = try eventually { try !events(daemon.socketPath, "stateSetAside").isEmpty }
        #expect(isTold, "\(daemon.log)")
        let event = try #require(try events(daemon.socketPath, "stateSetAside").first)
        let details = JSON.object(event.details)
        #expect(details["file"]?.stringValue == name && details["aside"]?.stringValue == "\(name).damaged-1")
        var status = stat()
        #expect(lstat("\(path).damaged-1", &status) == 0)
        #expect(daemon.log.contains("state that could not be read was set aside: file=\(name)"), "\(daemon.log)")
        let app = try allowedOnce(daemon.socketPath)
        #expect(try app.call(LocationMethod.getPosition.rawValue).error == nil)
        // Once is enough.
        daemon.signal(SIGKILL)
        _ = try daemon.wait()
        try daemon.restart()
        #expect(try RawConnection(daemon.socketPath).isAnswered)
        #expect(try events(daemon.socketPath, "stateSetAside").count == 1)
    }

    @Test(arguments: ["garbage", "truncated", "newer"])
    func `connections of which the table cannot be read are ended, and new ones are kept`(_ flaw: String) throws {
        defer { receiver.stop() }
        let host = try host()
        let lost = try StreamLog(host.socketPath, LocationMethod.monitorAuthorization.rawValue)
        try host.waitForStored(2)
        try host.kill(SIGKILL)
        try host.spoilTable(flaw)
        try host.start()
        #expect(eventually { lost.ending != nil }, "\(host.log)")
        #expect(try eventually { try events(host.socketPath, "stateSetAside").count == 1 }, "\(host.log)")
        let kept = try StreamLog(host.socketPath, LocationMethod.monitorAuthorization.rawValue)
        #expect(eventually { !kept.replies.isEmpty })
        try host.waitForStored(2)
        try host.restart(SIGKILL)
        let journal = try StreamLog(host.socketPath, JournalMethod.read.rawValue, #"{"follow":true}"#)
        #expect(eventually { !journal.replies.isEmpty })
        #expect(kept.ending == nil)
        kept.stop()
        journal.stop()
    }

    // Other streams

    @Test(arguments: [SIGTERM, SIGKILL])
    func `an agent, satellites and an uploader go on with their connections`(_ signal: Int32) throws {
        defer { receiver.stop() }
        let other = try apps.program("compass")
        try apps.add("compass", name: "Compass", program: other)
        let host = try host()
        try OperatorClient(host.socketPath).authorize("trailmap", .always, uid: OtherUser.nobody)
        let watching = try AppClient(agent, to: host.socketPath)
        #expect(try watching.register().isEmpty)
        let satellites = try StreamLog(host.socketPath, LocationMethod.monitorSatellites.rawValue)
        let uploader = try AppClient(program, to: host.socketPath)
        try uploader.begin(UploadsMethod.attach.rawValue, #"{"name":"home"}"#, more: true)
        #expect(try uploader.next()?.error == nil)
        let uploads = try StreamLog(host.socketPath, UploadsMethod.monitor.rawValue)
        #expect(eventually { !satellites.replies.isEmpty && !uploads.replies.isEmpty })
        try host.waitForStored(5)
        try host.restart(signal)
        let before = satellites.replies.count
        #expect(eventually { satellites.replies.count > before }, "\(host.log)")
        // What is asked after the restart reaches the agent, what is ordered the uploader, and what comes of it who watches.
        let manage = try OperatorClient(host.socketPath)
        let app = try AppClient(other, to: host.socketPath)
        try app.call(LocationMethod.setActivity.rawValue, #"{"activity":"active"}"#)
        try app.begin(LocationMethod.requestWhenInUse.rawValue)
        var question: Question?
        for _ in 0..<5 where question == nil {
            guard let message = try watching.nextMessage() else { break }
            if case .prompt(let asked) = message { question = asked }
        }
        #expect(question?.app == "compass", "\(host.log)")
        let told = uploads.replies.count
        try manage.client.call(UploadsMethod.pause.rawValue, ["name": "home"], timeout: .seconds(10))
        let order = try #require(try uploader.next(), "\(host.log)")
        #expect(UploaderOrder(order.parameters) == UploaderOrder(isPaused: true), "\(order)")
        #expect(eventually { uploads.replies.count > told })
        #expect([satellites, uploads].compactMap(\.ending) == [])
        [satellites, uploads].forEach { $0.stop() }
    }

    @Test func `the library begins a background session again, and its streams go on`() async throws {
        defer { receiver.stop() }
        try apps.add("own", name: "Own", program: try TestApps.ownProgram())
        let daemon = try daemon()
        try OperatorClient(daemon).authorize("own", .whileUsing, uid: geteuid())
        let client = WaymarkClient(socketPath: daemon.socketPath)
        let session = ActivitySession(.active, client: client)
        _ = try await session.declared()
        let hold = BackgroundActivitySession(client: client)
        _ = try await hold.begun()
        session.setActivity(.background)
        #expect(try await session.declared().isInUse)
        var updates = client.updates().makeAsyncIterator()
        #expect(try await updates.next() != nil)
        for signal in [SIGTERM, SIGKILL, SIGKILL] {
            daemon.signal(signal)
            _ = try daemon.wait()
            try daemon.restart()
            #expect(try eventually { try OperatorClient(daemon).app("own")?.holds == 1 }, "\(daemon.log)")
            var update = try #require(try await updates.next())
            for _ in 0..<50 where update.position == nil { update = try #require(try await updates.next()) }
            #expect(update.position != nil)
        }
        guard case .held = hold.state else {
            Issue.record("the session is \(hold.state)")
            return
        }
        hold.invalidate()
        #expect(try eventually { try OperatorClient(daemon).app("own")?.holds == 0 })
    }
}
