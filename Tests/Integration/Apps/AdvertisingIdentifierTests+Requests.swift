import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

// The request by which an app asks the person.

extension AdvertisingIdentifierTests {
    @Test func `a person is asked once, and the answer is durable before the app receives it`() throws {
        let daemon = try start()
        let watching = try app(agent, daemon)
        #expect(try watching.register().isEmpty)
        let client = try asking(map, daemon)
        let question = try watching.nextQuery()
        #expect(question.app == "map" && question.kind == .tracking && !question.asksAccuracy)
        #expect(question.choices == [.deny, .allow])
        #expect(question.purpose.text == "Finds out who buys walking boots.")
        #expect(question.purpose.translations["ko"] == "등산화를 사는 사람을 알아냅니다.")
        // Another process of the app waits for the same prompt.
        let again = try asking(map, daemon)
        #expect(try advertising(map, daemon) == (.zero, .notDetermined))
        try answer(question, .allow, daemon)
        // Its request may have reached the daemon only now.
        #expect(try outcome(again.next()).status == .authorized)
        daemon.signal(SIGKILL)
        _ = try daemon.wait()
        #expect(try watching.nextMessage() == .withdrawn(question.id))
        #expect(try outcome(client.next()).status == .authorized)
        try daemon.restart()
        #expect(try advertising(map, daemon).status == .authorized)
        // The other app is asked about separately, and not again after a denial.
        let desk = try app(agent, daemon)
        #expect(try desk.register().isEmpty)
        let second = try asking(shop, daemon)
        let other = try desk.nextQuery()
        try answer(other, .deny, daemon)
        #expect(try outcome(second.next()).status == .denied)
        #expect(try desk.nextMessage() == .withdrawn(other.id))
        for program in [map, shop] {
            let status: TrackingAuthorizationStatus = program == map ? .authorized : .denied
            #expect(try outcome(asking(program, daemon).next()).status == status)
        }
        #expect(try desk.nextMessage(seconds: 0.5) == nil, "nobody is asked again")
        #expect(try advertising(shop, daemon) == (.zero, .denied))
    }

    @Test func `a prompt that is closed decides nothing, and an app that is not in use asks nobody`() throws {
        let daemon = try start()
        let watching = try app(agent, daemon)
        #expect(try watching.register().isEmpty)
        let idle = try outcome(try app(map, daemon).call(requestMethod))
        #expect(idle.status == .notDetermined && idle.obstacle == .notInUse)
        let client = try asking(map, daemon)
        let question = try watching.nextQuery()
        let dismissal = try app(agent, daemon).call(
            AgentInterface.Method.dismiss.rawValue, #"{"prompt":\#(question.id)}"#)
        #expect(dismissal.error == nil)
        let outcome = try outcome(client.next())
        #expect(outcome.status == .notDetermined && outcome.obstacle == nil)
    }

    @Test func `without an agent the request is listed for an operator, besides one for positions`() throws {
        let daemon = try start()
        let manage = try OperatorClient(daemon)
        let client = try asking(map, daemon)
        let listed = try outcome(client.next())
        #expect(listed.status == .notDetermined && listed.obstacle == .agentUnavailable)
        #expect(try client.call(LocationInterface.Method.requestWhenInUse.rawValue).error == nil)
        #expect(try manage.requests().map(\.kind) == [.tracking, .whenInUse])
        daemon.signal(SIGKILL)
        _ = try daemon.wait()
        try daemon.restart()
        let again = try OperatorClient(daemon)
        #expect(try again.requests().map(\.kind) == [.tracking, .whenInUse])
        let text = try daemon.waymark("requests").output
        #expect(text.contains("asks to track its user"), "\(text)")
        let number = try #require(try again.requests().first).id
        let answered = try daemon.waymark("answer", "\(number)", "allow")
        #expect(
            answered.output == "map of nobody may track, and receives the advertising identifier.\n",
            "\(answered.error)")
        #expect(try again.requests().map(\.kind) == [.whenInUse])
        #expect(try advertising(map, daemon).status == .authorized)
    }

    @Test func `a manifest without the purpose is an error that names the key`() throws {
        let daemon = try start()
        let reply = try asking(silent, daemon).next()
        #expect(reply?.error == ErrorName.identityPurposeMissing.rawValue)
        #expect(reply?.parameters["key"] == "UserTrackingUsageDescription")
        #expect(reply?.parameters["message"]?.stringValue?.contains("Add UserTrackingUsageDescription=") == true)
        #expect(try OperatorClient(daemon).requests().isEmpty)
        let stranger = try app(try apps.program("stranger"), daemon)
        for method in [
            IdentityInterface.Method.getTrackingAuthorization, .requestTrackingAuthorization, .getAdvertisingIdentifier,
        ] {
            #expect(try stranger.call(method.rawValue).error == ErrorName.identityNotAllowed.rawValue)
        }
    }
}
