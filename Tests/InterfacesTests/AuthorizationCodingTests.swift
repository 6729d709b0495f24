import Interfaces
import JSONText
import Location
import Testing
import Varlink

@Suite struct AuthorizationCodingTests {
    private static let question = Question(
        id: 1 << 40, app: "trailmap", kind: .temporaryFullAccuracy, purposeKey: "Navigation",
        name: TranslatedText("Trail Map", translations: ["ko": "등산 지도"]),
        purpose: TranslatedText("Spoken directions need your exact position.", translations: ["de": "Zum Führen"]),
        assurance: "user", choices: [.allow, .deny], proposesFullAccuracy: true)

    @Test func `an authorization reads back as it was written`() throws {
        let full = AppAuthorization(
            status: .authorizedWhenInUse, accuracy: .reduced, diagnostics: ["accuracyLimited", "a word of tomorrow"],
            app: "trailmap", assurance: "unit", isInUse: true)
        let bare = AppAuthorization(status: .notDetermined, accuracy: .full)
        for authorization in [full, bare] {
            #expect(try AppAuthorization(varlink: try written { authorization.write(to: &$0) }) == authorization)
        }
        #expect(throws: InvalidParameter(path: "status")) {
            try AppAuthorization(varlink: ["status": "perhaps", "accuracy": "full"])
        }
    }

    @Test func `an app reads back as it was written`() throws {
        let app = KnownApp(
            id: "trailmap", uid: 1000, name: "Trail Map", manifest: "/usr/share/waymark/apps/trailmap.app",
            status: .authorizedAlways, accuracy: .reduced, diagnostics: ["accuracyLimited"],
            permission: .provisionalAlways, wasAskedAlways: true, decidedAt: 1_780_000_000.5, decidedBy: "person",
            decidedByUid: 1000, isInUse: true, processes: 2, assurance: "user", holds: 1)
        let unused = KnownApp(id: "unused", status: .notDetermined, accuracy: .full, permission: .notDetermined)
        let list = ManageInterface.ListApps.Reply(
            apps: [app, unused], servicesEnabled: false, problems: ["x.app:3: odd"])
        #expect(try ManageInterface.ListApps.Reply(varlink: try written { list.write(to: &$0) }) == list)
    }

    @Test func `a request reads back as it was written`() throws {
        let request = OpenRequest(Self.question, uid: 1000, isShown: true, raisedAt: 1_780_000_000.25)
        let json = try written { request.write(to: &$0) }
        #expect(try OpenRequest(varlink: json) == request)
        #expect(try OpenRequest(varlink: json).question == Self.question)
    }

    @Test(
        arguments: [
            .registered, .prompt(question), .withdrawn(7), .holds([]),
            .holds([.init(app: "trailmap", name: TranslatedText("Trail Map"))]),
        ] as [AgentMessage]) func `a message to an agent reads back as it was written`(message: AgentMessage) throws
    {
        let json = try written { message.reply.write(to: &$0) }
        #expect(AgentMessage(try AgentInterface.Register.Reply(varlink: json)) == message)
    }

    @Test func `a prompt that this version does not understand is ignored`() throws {
        var json = try written { Self.question.prompt.write(to: &$0) }
        #expect(json["asksAccuracy"] == false)
        guard case .object(var members) = json else { return #expect(Bool(false)) }
        members.removeAll { $0.key == "kind" }
        json = .object(members + [.init("kind", "whetherToday")])
        #expect(throws: InvalidParameter(path: "prompt.kind")) {
            try AgentInterface.Register.Reply(varlink: ["prompt": json])
        }
    }

    @Test func `parameters read back as they were written`() throws {
        func expectSame<Method: VarlinkMethod>(_ method: Method) throws {
            #expect(try Method(varlink: try written { method.write(to: &$0) }) == method)
            #expect(method.parameters == (try written { method.write(to: &$0) }))
        }
        try expectSame(ManageInterface.Authorize(app: "a", uid: 0, status: .whileUsing, accuracy: .reduced))
        try expectSame(ManageInterface.Reset(app: "a"))
        try expectSame(ManageInterface.ListApps(uid: 1000))
        try expectSame(ManageInterface.SetServicesEnabled(enabled: false))
        try expectSame(ManageInterface.SetLocked(uid: 1000, locked: true))
        try expectSame(ManageInterface.Answer(id: 3, choice: .allowOnce, precise: false))
        try expectSame(AgentInterface.Answer(prompt: 3, choice: .deny))
        try expectSame(AgentInterface.Dismiss(prompt: 3))
        try expectSame(LocationInterface.SetActivity(activity: .suspended))
        try expectSame(LocationInterface.RequestTemporaryFullAccuracy(purposeKey: "Navigation"))
    }

    @Test(arguments: [
        (#"{"status": "deny"}"#, "app"), (#"{"app": 7, "status": "deny"}"#, "app"),
        (#"{"app": "a"}"#, "status"), (#"{"app": "a", "status": "once"}"#, "status"),
        (#"{"app": "a", "status": "deny", "uid": -1}"#, "uid"),
        (#"{"app": "a", "status": "deny", "uid": 4294967295}"#, "uid"),
        (#"{"app": "a", "status": "deny", "uid": "root"}"#, "uid"),
        (#"{"app": "a", "status": "deny", "accuracy": "exact"}"#, "accuracy"),
    ]) func `a wrong parameter of a decision is named`(text: String, name: String) throws {
        let json = try JSON.parse(Array(text.utf8))
        #expect(throws: InvalidParameter(path: name)) { try ManageInterface.Authorize(varlink: json) }
    }

    @Test(arguments: [
        (#"{"choice": "deny"}"#, "id"), (#"{"id": 0, "choice": "deny"}"#, "id"),
        (#"{"prompt": 1, "choice": "deny"}"#, "id"), (#"{"id": 1}"#, "choice"),
        (#"{"id": 1, "choice": "perhaps"}"#, "choice"), (#"{"id": 1, "choice": "deny", "precise": 1}"#, "precise"),
    ]) func `a wrong parameter of an answer is named`(text: String, name: String) throws {
        let json = try JSON.parse(Array(text.utf8))
        #expect(throws: InvalidParameter(path: name)) { try ManageInterface.Answer(varlink: json) }
    }
}
