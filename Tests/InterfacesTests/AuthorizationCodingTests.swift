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

    private func writtenMembers(_ write: (inout JSONWriter) -> Void) throws -> JSON {
        try written { writer in writer.object { write(&$0) } }
    }

    @Test func `an authorization reads back as it was written`() throws {
        let full = AppAuthorization(
            status: .authorizedWhenInUse, accuracy: .reduced, diagnostics: ["accuracyLimited", "a word of tomorrow"],
            app: "trailmap", assurance: "unit", isInUse: true)
        let bare = AppAuthorization(status: .notDetermined, accuracy: .full)
        for authorization in [full, bare] {
            #expect(AppAuthorization(try written { authorization.write(to: &$0) }) == authorization)
        }
        #expect(AppAuthorization(["status": "perhaps", "accuracy": "full"]) == nil)
    }

    @Test func `an app reads back as it was written`() throws {
        var app = KnownApp(id: "trailmap", uid: 1000)
        app.name = "Trail Map"
        app.manifest = "/usr/share/waymark/apps/trailmap.app"
        app.status = .authorizedAlways
        app.accuracy = .reduced
        app.diagnostics = ["accuracyLimited"]
        app.permission = .provisionalAlways
        app.wasAskedAlways = true
        app.decidedAt = 1_780_000_000.5
        app.decidedBy = "person"
        app.decidedByUID = 1000
        app.isInUse = true
        app.processes = 2
        app.assurance = "user"
        app.holds = 1
        let list = AppList(apps: [app, KnownApp(id: "unused")], areServicesEnabled: false, problems: ["x.app:3: odd"])
        #expect(AppList(try writtenMembers { list.writeMembers(to: &$0) }) == list)
    }

    @Test func `a request reads back as it was written`() throws {
        let request = OpenRequest(Self.question, uid: 1000, isShown: true, raisedAt: 1_780_000_000.25)
        #expect(OpenRequest(try written { request.write(to: &$0) }) == request)
    }

    @Test(
        arguments: [
            .registered, .prompt(question), .withdrawn(7), .holds([]),
            .holds([.init(app: "trailmap", name: TranslatedText("Trail Map"))]),
        ] as [AgentMessage]) func `what an agent is told reads back as it was written`(message: AgentMessage) throws
    {
        #expect(AgentMessage(try writtenMembers { message.writeMembers(to: &$0) }) == message)
    }

    @Test func `a question that this version does not understand is no question`() throws {
        var json = try written { Self.question.write(to: &$0) }
        #expect(json["asksAccuracy"] == false)
        guard case .object(var members) = json else { return #expect(Bool(false)) }
        members.removeAll { $0.key == "kind" }
        json = .object(members + [.init("kind", "whetherToday")])
        #expect(Question(json) == nil)
        #expect(AgentMessage(["prompt": json]) == nil)
    }

    @Test func `requests read back as they were written`() throws {
        let authorize = AuthorizeRequest(app: "a", uid: 0, status: .whileUsing, accuracy: .reduced)
        #expect(try AuthorizeRequest(try written { authorize.write(to: &$0) }) == authorize)
        let app = AppRequest(app: "a")
        #expect(try AppRequest(try written { app.write(to: &$0) }) == app)
        let list = AppListRequest(uid: 1000)
        #expect(try AppListRequest(try written { list.write(to: &$0) }) == list)
        let services = ServicesRequest(isEnabled: false)
        #expect(try ServicesRequest(try written { services.write(to: &$0) }) == services)
        let lock = LockRequest(uid: 1000, isLocked: true)
        #expect(try LockRequest(try written { lock.write(to: &$0) }) == lock)
        let answer = AnswerRequest(question: 3, choice: .allowOnce, precise: false)
        for key in [AnswerRequest.NumberKey.id, .prompt] {
            #expect(try AnswerRequest(try written { answer.write(to: &$0, under: key) }, under: key) == answer)
        }
        let dismiss = DismissRequest(prompt: 3)
        #expect(try DismissRequest(try written { dismiss.write(to: &$0) }) == dismiss)
        let activity = ActivityRequest(.suspended)
        #expect(try ActivityRequest(try written { activity.write(to: &$0) }) == activity)
        let temporary = TemporaryAccuracyRequest(purposeKey: "Navigation")
        #expect(try TemporaryAccuracyRequest(try written { temporary.write(to: &$0) }) == temporary)
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
        #expect(throws: ParameterError(name)) { _ = try AuthorizeRequest(json) }
    }

    @Test(arguments: [
        (#"{"choice": "deny"}"#, "id"), (#"{"id": 0, "choice": "deny"}"#, "id"),
        (#"{"prompt": 1, "choice": "deny"}"#, "id"), (#"{"id": 1}"#, "choice"),
        (#"{"id": 1, "choice": "perhaps"}"#, "choice"), (#"{"id": 1, "choice": "deny", "precise": 1}"#, "precise"),
    ]) func `a wrong parameter of an answer is named`(text: String, name: String) throws {
        let json = try JSON.parse(Array(text.utf8))
        #expect(throws: ParameterError(name)) { _ = try AnswerRequest(json, under: .id) }
    }
}
