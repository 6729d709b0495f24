import Glibc
import Interfaces
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Agents, apps and strangers, each a program of its own and of a user of the test's choice.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "starting programs as another user needs root"))
struct AgentTests {
    private static let person = OtherUser.nobody
    private static let neighbour: UInt32 = 4_242

    private let apps: TestApps
    private let agent: String
    private let trailmap: String

    init() throws {
        apps = try TestApps()
        agent = try apps.program("agent")
        trailmap = try apps.program("trailmap")
        try apps.add("trailmap", name: "Trail Map", program: trailmap, "Name[ko]=등산 지도")
    }

    private func start() throws -> DaemonProcess {
        try DaemonProcess(in: apps.directory, configuration: apps.configuration(agents: [agent]), knowsLogins: false)
    }

    /// An app in use, whose request is pending.
    private func asking(_ daemon: DaemonProcess, as user: UInt32 = person) throws -> AppClient {
        let app = try AppClient(trailmap, to: daemon.socketPath, as: user)
        #expect(try app.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#).error == nil)
        try app.begin(LocationInterface.Method.requestWhenInUse.rawValue)
        return app
    }

    private func status(_ reply: Reply?) -> AppAuthorization? {
        reply?.parameters["authorization"].flatMap(AppAuthorization.init)
    }

    // Who may be an agent

    @Test func `a program is an agent only where the configuration names it and its user cannot change it`() throws {
        let daemon = try start()
        let other = try apps.program("stranger")
        let stranger = try AppClient(other, to: daemon.socketPath)
        let refusal = try stranger.call(AgentInterface.Method.dismiss.rawValue, #"{"prompt":1}"#)
        #expect(refusal.error == ErrorName.agentNotAgent.rawValue, "\(refusal.parameters)")
        #expect(refusal.parameters["message"]?.stringValue?.contains("Agents=") == true)

        let good = try AppClient(agent, to: daemon.socketPath)
        #expect(try good.register().isEmpty)
        #expect(chmod(agent, 0o777) == 0)
        let changeable = try AppClient(agent, to: daemon.socketPath)
        try changeable.begin(AgentInterface.Method.register.rawValue, more: true)
        let changed = try #require(try changeable.next())
        #expect(changed.error == ErrorName.agentNotAgent.rawValue, "\(changed.parameters)")
        #expect(changed.parameters["message"]?.stringValue?.contains("written") == true)
    }

    @Test func `an app is not its own agent, and an agent that becomes an app loses that role`() throws {
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(agents: [agent, trailmap]))
        let app = try AppClient(trailmap, to: daemon.socketPath)
        for (method, parameters) in [
            (AgentInterface.Method.answer, #"{"prompt":1,"choice":"allowWhileUsing"}"#), (.dismiss, #"{"prompt":1}"#),
            (.setLocked, #"{"locked":false}"#),
        ] {
            #expect(try app.call(method.rawValue, parameters).error == ErrorName.agentNotAgent.rawValue)
        }
        try app.begin(AgentInterface.Method.register.rawValue, more: true)
        #expect(try app.next()?.error == ErrorName.agentNotAgent.rawValue)

        let registered = try AppClient(agent, to: daemon.socketPath)
        #expect(try registered.register().isEmpty)
        try apps.add("sneaky", name: "Sneaky", program: agent)
        #expect(try registered.next()?.error == ErrorName.agentNotAgent.rawValue, "\(daemon.log)")
    }

    @Test(.enabled(if: TemporaryControlGroup.hierarchy != nil, "no control group can be made here"))
    func `an agent's program that an app's unit started is part of that app`() throws {
        try apps.directory.write(
            "apps/fleet.app", "[App]\nName=Fleet\nUserUnit=app-fleet-*.scope\nWhenInUseUsageDescription=Finds cars.\n")
        let daemon = try start()
        let slice = "/user.slice/user-\(Self.person).slice/user@\(Self.person).service/app.slice"
        let group = try TemporaryControlGroup("\(slice)/app-fleet-7.scope")
        let inside = try AppClient(agent, to: daemon.socketPath)
        try group.write("\(inside.processID)", to: "cgroup.procs")
        let refusal = try inside.call(AgentInterface.Method.dismiss.rawValue, #"{"prompt":1}"#)
        #expect(refusal.error == ErrorName.agentNotAgent.rawValue)
        #expect(refusal.parameters["message"]?.stringValue?.contains("fleet") == true)
        try inside.kill()
    }

    // The rights of an agent

    @Test func `a person allows an app at the agent, and the answer is durable before it is reported`() throws {
        let daemon = try start()
        let watching = try AppClient(agent, to: daemon.socketPath)
        #expect(try watching.register().isEmpty)
        let app = try asking(daemon)
        let question = try watching.nextQuery()
        #expect(question.app == "trailmap" && question.kind == .whenInUse && question.assurance == "program")
        #expect(question.name.translations["ko"] == "등산 지도" && question.name.text == "Trail Map")
        #expect(question.purpose.text == "Shows where you are on the map of trailmap.")
        #expect(question.choices == [.allowOnce, .allowWhileUsing, .deny] && question.asksAccuracy)

        let answering = try AppClient(agent, to: daemon.socketPath)
        let wrong = try answering.call(
            AgentInterface.Method.answer.rawValue, #"{"prompt":\#(question.id),"choice":"changeToAlways"}"#)
        #expect(wrong.error == ErrorName.agentNotOffered.rawValue)
        #expect(wrong.parameters["choices"] == ["allowOnce", "allowWhileUsing", "deny"])
        let answer = try answering.call(
            AgentInterface.Method.answer.rawValue,
            #"{"prompt":\#(question.id),"choice":"allowWhileUsing","precise":false}"#)
        daemon.signal(SIGKILL)
        #expect(answer.error == nil, "\(answer.parameters)")
        #expect(try daemon.wait() == .killed(signal: SIGKILL))
        #expect(try watching.nextMessage() == .withdrawn(question.id))
        let reported = try #require(status(try app.next()))
        #expect(reported.status == .authorizedWhenInUse && reported.accuracy == .reduced)

        try daemon.restart()
        let stored = try #require(try OperatorClient(daemon).app("trailmap"))
        #expect(stored.permission == .whenInUse && stored.accuracy == .reduced && stored.uid == Self.person)
        #expect(stored.decidedBy == "person" && stored.decidedByUid == Self.person)
        #expect(try OperatorClient(daemon).requests().isEmpty)
    }

    @Test func `of two agents the first answer decides, and the prompt at the other is withdrawn`() throws {
        let daemon = try start()
        let agents = try (0..<2).map { _ in try AppClient(agent, to: daemon.socketPath) }
        for agent in agents { #expect(try agent.register().isEmpty) }
        let app = try asking(daemon)
        let questions = try agents.map { try $0.nextQuery() }
        #expect(questions[0] == questions[1])
        let answering = try (0..<2).map { _ in try AppClient(agent, to: daemon.socketPath) }
        let number = questions[0].id
        let first = try answering[0].call(
            AgentInterface.Method.answer.rawValue, #"{"prompt":\#(number),"choice":"deny"}"#)
        #expect(first.error == nil, "\(first.parameters)")
        let second = try answering[1].call(
            AgentInterface.Method.answer.rawValue, #"{"prompt":\#(number),"choice":"allowOnce"}"#)
        #expect(second.error == ErrorName.agentUnknownPrompt.rawValue)
        for agent in agents { #expect(try agent.nextMessage() == .withdrawn(number)) }
        #expect(try status(app.next())?.status == .denied)
    }

    @Test func `an agent of another user neither sees an app nor may answer for it`() throws {
        let daemon = try start()
        let own = try AppClient(agent, to: daemon.socketPath)
        #expect(try own.register().isEmpty)
        let foreign = try AppClient(agent, to: daemon.socketPath, as: Self.neighbour)
        #expect(try foreign.register().isEmpty)
        let app = try asking(daemon)
        let question = try own.nextQuery()
        let answering = try AppClient(agent, to: daemon.socketPath, as: Self.neighbour)
        // For an existing prompt it gets the same error as for one that never existed.
        for method in [AgentInterface.Method.answer, .dismiss] {
            let replies = try [question.id, question.id + 1_000].map { number in
                try answering.call(method.rawValue, #"{"prompt":\#(number),"choice":"deny"}"#)
            }
            #expect(replies.allSatisfy { $0.error == ErrorName.agentUnknownPrompt.rawValue })
            #expect(replies[0].message == replies[1].message)
        }
        #expect(try OperatorClient(daemon).requests().map(\.question.id) == [question.id])
        #expect(try foreign.next(seconds: 0.3) == nil, "the other user's agent received something")
        // The lock that it sets is its own user's, too.
        #expect(try answering.call(AgentInterface.Method.setLocked.rawValue, #"{"locked":true}"#).error == nil)
        #expect(try OperatorClient(daemon).app("trailmap")?.isInUse == true)
        _ = app
    }

    @Test func `a prompt that a killed agent left unanswered stays listed, also after a restart`() throws {
        let daemon = try start()
        let first = try AppClient(agent, to: daemon.socketPath)
        #expect(try first.register().isEmpty)
        let app = try asking(daemon)
        let question = try first.nextQuery()
        let manage = try OperatorClient(daemon)
        #expect(try manage.requests().first?.isShown == true)
        try first.kill()
        let reported = try #require(status(try app.next()))
        #expect(reported.status == .notDetermined && reported.diagnostics.contains("agentUnavailable"))
        let listed = try #require(try manage.requests().first)
        #expect(listed.question.id == question.id && !listed.isShown && listed.uid == Self.person)

        // An orderly stop: a kill may lose a prompt that was only listed.
        #expect(try daemon.stop() == .exited(0))
        let stopped = Double(SystemClock().utcMicroseconds) / 1_000_000
        try daemon.restart()
        let later = try #require(try OperatorClient(daemon).requests().first)
        #expect(later.question.id == question.id && later.question.purpose == question.purpose)
        #expect(later.question.name == question.name)
        #expect(later.raisedAt > 1_700_000_000 && later.raisedAt < stopped, "the age of a prompt is preserved")
        #expect(abs(later.raisedAt - listed.raisedAt) < 1)
        let second = try AppClient(agent, to: daemon.socketPath)
        #expect(try second.register() == [later.question])
        #expect(later.question.assurance == nil, "no process of the app is known yet")
        // The app is back. It waits for the prompt that is shown, which says now how its identity is proved.
        let again = try asking(daemon)
        let proved = try second.nextQuery()
        #expect(proved.id == question.id && proved.assurance == question.assurance)
        let dismissing = try AppClient(agent, to: daemon.socketPath)
        #expect(
            try dismissing.call(AgentInterface.Method.dismiss.rawValue, #"{"prompt":\#(question.id)}"#).error == nil)
        #expect(try second.nextMessage() == .withdrawn(question.id))
        #expect(try status(again.next())?.status == .notDetermined)
        #expect(try eventually { try OperatorClient(daemon).requests().isEmpty })
        let read = JournalInterface.Read(kinds: [.agentRegistered, .agentUnregistered])
        let events = try OperatorClient(daemon).client.call(read, timeout: .seconds(60)).events
        #expect(events.count { $0.kind == "agentRegistered" && $0.user == Int64(Self.person) } == 2)
        #expect(events.contains { $0.kind == "agentUnregistered" })
    }

    @Test func `an operator answers for any user, and the lock of the screen ends use`() throws {
        let daemon = try start()
        let manage = try OperatorClient(daemon)
        let app = try asking(daemon)
        // Without an agent, the reply comes immediately, and the prompt stays.
        #expect(try status(app.next())?.diagnostics.contains("agentUnavailable") == true)
        let request = try #require(try manage.requests().first)
        let known = try manage.call(ManageInterface.Answer(id: request.id, choice: .allowWhileUsing)).app
        #expect(known.permission == .whenInUse && known.decidedBy == "operator" && known.isInUse)
        try manage.call(.setLocked) { ManageInterface.SetLocked(uid: Self.person, locked: true).write(to: &$0) }
        #expect(try manage.app("trailmap")?.isInUse == false)
        try manage.call(.setLocked) { ManageInterface.SetLocked(uid: Self.person, locked: false).write(to: &$0) }
        #expect(try manage.app("trailmap")?.isInUse == true)
    }

    /// An app that has begun a background activity session, and an agent that was notified of it.
    private func session(
        _ daemon: DaemonProcess, _ permission: ManageInterface.Authorize.Status
    ) throws -> (AppClient, agent: AppClient) {
        try OperatorClient(daemon).authorize("trailmap", permission, uid: Self.person)
        let watching = try AppClient(agent, to: daemon.socketPath)
        #expect(try watching.register().isEmpty)
        let app = try AppClient(trailmap, to: daemon.socketPath)
        _ = try app.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#)
        try app.begin(LocationInterface.Method.holdInUse.rawValue, more: true)
        #expect(try status(app.next())?.isInUse == true)
        let holds = try #require(Self.holds(try watching.nextMessage()), "the agent was not notified")
        #expect(holds.map(\.app) == ["trailmap"] && holds.first?.name == "Trail Map")
        return (app, watching)
    }

    private static func holds(_ message: AgentMessage?) -> [AgentMessage.Hold]? {
        if case .holds(let holds)? = message { holds } else { nil }
    }

    @Test func `background activity sessions are reported to the agents of their user`() throws {
        let daemon = try start()
        let (app, watching) = try session(daemon, .whileUsing)
        try app.kill()
        #expect(try watching.nextMessage() == .holds([]))
    }

    @Test func `a background activity session ends with the identification of its app, also for the agents`() throws {
        let daemon = try start()
        let (app, watching) = try session(daemon, .always)
        try apps.add("trailmap", name: "Trail Map", program: try apps.program("newmap"))
        // The decision was about the earlier program, so the app may not receive positions for a short time before the
        // session ends.
        var holds = Self.holds(try watching.nextMessage())
        while holds?.isEmpty == false { holds = Self.holds(try watching.nextMessage()) }
        #expect(holds?.isEmpty == true, "\(daemon.log)")
        let manage = try OperatorClient(daemon)
        #expect(try manage.app("trailmap")?.holds == 0)
        let read = JournalInterface.Read(kinds: [.holdEnded])
        let ended = try eventually { try manage.client.call(read, timeout: .seconds(60)).events.count == 1 }
        #expect(ended)
        withExtendedLifetime(app) {}
    }

    @Test func `a background activity session is reported only while its app may receive positions`() throws {
        let daemon = try start()
        let manage = try OperatorClient(daemon)
        let watching = try AppClient(agent, to: daemon.socketPath)
        #expect(try watching.register().isEmpty)
        let app = try AppClient(trailmap, to: daemon.socketPath)
        _ = try app.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#)
        try app.begin(LocationInterface.Method.holdInUse.rawValue, more: true)
        #expect(try status(app.next())?.isInUse == true)
        #expect(try watching.nextMessage() == .holds([]), "nobody has decided")
        #expect(try manage.app("trailmap")?.holds == 1)
        try manage.authorize("trailmap", .whileUsing, uid: Self.person)
        guard case .holds(let holds)? = try watching.nextMessage() else {
            Issue.record("the agent was not notified")
            return
        }
        #expect(holds.map(\.app) == ["trailmap"])
        try manage.authorize("trailmap", .deny, uid: Self.person)
        #expect(try watching.nextMessage() == .holds([]))
    }

    // The information available to others

    @Test func `a program of no app cannot detect an app or a prompt by any error`() throws {
        let daemon = try start()
        let stranger = try apps.program("stranger")
        let asking = try asking(daemon)
        #expect(try status(asking.next()) != nil)
        let number = try #require(try OperatorClient(daemon).requests().first).question.id
        let client = try AppClient(stranger, to: daemon.socketPath)
        // Two forms of each call: for an existing app or prompt, and for a missing one.
        let pairs = [
            (ManageInterface.Method.listApps.rawValue, #"{"app":"trailmap"}"#, #"{"app":"nosuchmap"}"#),
            (
                ManageInterface.Method.authorize.rawValue, #"{"app":"trailmap","status":"always"}"#,
                #"{"app":"x","status":"always"}"#
            ),
            (ManageInterface.Method.reset.rawValue, #"{"app":"trailmap"}"#, #"{"app":"nosuchmap"}"#),
            (
                ManageInterface.Method.answer.rawValue, #"{"id":\#(number),"choice":"deny"}"#,
                #"{"id":999,"choice":"deny"}"#
            ),
            (ManageInterface.Method.listRequests.rawValue, "{}", "{}"),
            (
                AgentInterface.Method.answer.rawValue, #"{"prompt":\#(number),"choice":"deny"}"#,
                #"{"prompt":999,"choice":"deny"}"#
            ),
            (AgentInterface.Method.dismiss.rawValue, #"{"prompt":\#(number)}"#, #"{"prompt":999}"#),
            (JournalInterface.Method.read.rawValue, #"{"app":"trailmap"}"#, #"{"app":"nosuchmap"}"#),
        ]
        for (method, real, made) in pairs {
            let (first, second) = (try client.call(method, real), try client.call(method, made))
            #expect(first.error != nil && first.message == second.message, "\(method): \(first.parameters)")
            #expect(!String(decoding: first.message, as: UTF8.self).contains("trailmap"))
        }
        #expect(try OperatorClient(daemon).requests().map(\.question.id) == [number])
        #expect(try OperatorClient(daemon).app("trailmap")?.permission == .notDetermined)
    }

    @Test func `an app reads journal events about itself only, not those of another app or user`() throws {
        let otherProgram = try apps.program("fleet")
        try apps.add("fleet", name: "Fleet", program: otherProgram)
        let daemon = try start()
        let manage = try OperatorClient(daemon)
        for (app, uid) in [("fleet", Self.person), ("trailmap", Self.neighbour), ("trailmap", Self.person)] {
            try manage.authorize(app, .always, uid: uid)
        }
        let app = try AppClient(trailmap, to: daemon.socketPath)
        func check(_ reply: Reply, _ isExpected: (JournalEntry) -> Bool = { _ in true }) throws {
            #expect(reply.error == nil, "\(reply.parameters)")
            let events = try #require(reply.parameters["events"]?.arrayValue).compactMap(JournalEntry.init)
            #expect(!events.isEmpty)
            #expect(events.allSatisfy { $0.app == "trailmap" && $0.user == Int64(Self.person) && isExpected($0) })
        }
        try check(app.call(JournalInterface.Method.read.rawValue))
        try check(app.call(JournalInterface.Method.read.rawValue, #"{"newest":1000,"app":"trailmap"}"#))
        try check(app.call(JournalInterface.Method.read.rawValue, #"{"kinds":["authorizationChanged"]}"#)) {
            $0.kind == "authorizationChanged"
        }
        let others = try ["fleet", "nosuchmap"].map {
            try app.call(JournalInterface.Method.read.rawValue, #"{"app":"\#($0)"}"#)
        }
        #expect(others[0].message == others[1].message && others[0].error == "org.varlink.service.InvalidParameter")
        for (method, parameters) in [(JournalInterface.Method.verify, "{}"), (.note, #"{"text":"an app was here"}"#)] {
            #expect(try app.call(method.rawValue, parameters).error == ErrorName.journalNotOperator.rawValue)
        }

        try app.begin(JournalInterface.Method.read.rawValue, #"{"follow":true}"#, more: true)
        try check(#require(try app.next()))
        try manage.authorize("fleet", .deny, uid: Self.person)
        try manage.authorize("trailmap", .deny, uid: Self.neighbour)
        _ = try manage.client.call(
            JournalInterface.Method.note.rawValue, ["text": "for operators"], timeout: .seconds(60))
        try manage.authorize("trailmap", .deny, uid: Self.person)
        try check(#require(try app.next())) { "\($0.details)".contains("denied") }
    }

    // Services

    @Test
    func
        `with services off streams of apps end and those of operators continue, and apps can stream again when services are on`()
        throws
    {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address)
        let manage = try OperatorClient(daemon)
        try manage.authorize("trailmap", .always, uid: Self.person)
        let app = try AppClient(trailmap, to: daemon.socketPath)
        let reader = try UpdateReader(daemon.socketPath)
        defer { reader.stop() }
        func next(_ isWanted: (Reply) -> Bool) throws -> Reply? {
            for _ in 0..<1_000 {
                guard let reply = try app.next() else { return nil }
                if isWanted(reply) { return reply }
            }
            return nil
        }
        for _ in 0..<5 {
            try app.begin(LocationInterface.Method.monitor.rawValue, more: true)
            #expect(try next { $0.parameters["update"]?["position"] != nil } != nil, "\(daemon.log)")
            try manage.call(.setServicesEnabled) { ManageInterface.SetServicesEnabled(enabled: false).write(to: &$0) }
            #expect(try next { $0.error != nil }?.error == ErrorName.deniedGlobally.rawValue)
            #expect(
                try app.call(LocationInterface.Method.getPosition.rawValue).error == ErrorName.deniedGlobally.rawValue)
            #expect(reader.receives(3), "an operator's stream stopped")
            #expect(try app.next(seconds: 0.1) == nil, "the app received something while services are off")
            #expect(try !manage.list().servicesEnabled)
            try manage.call(.setServicesEnabled) { ManageInterface.SetServicesEnabled(enabled: true).write(to: &$0) }
        }
        #expect(try manage.app("trailmap")?.permission == .always, "stored grants stay")
    }
}
