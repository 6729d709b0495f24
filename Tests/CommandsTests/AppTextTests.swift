import Agent
import CommandLineKit
import Interfaces
import JSONText
import Location
import Platform
import TestSupport
import Testing
import Varlink

@testable import Commands

@Suite struct AppTextTests {
    /// A number that no user of any machine has.
    private static let stranger: UInt32 = 4_294_967_290
    private let plain = Terminal(isTerminal: false)

    private func app(_ change: (inout KnownApp) -> Void = { _ in }) -> KnownApp {
        var app = KnownApp(
            id: "trailmap", uid: Self.stranger, name: "Trail Map", manifest: "/etc/waymark/apps/trailmap.app",
            status: .notDetermined, accuracy: .full, permission: .notDetermined)
        change(&app)
        return app
    }

    @Test func `the effective permission is shown with the decision where they differ`() {
        func status(_ change: (inout KnownApp) -> Void) -> String { AppText(app: app(change)).status }
        #expect(status { _ in } == "not decided")
        #expect(status { $0.uid = nil } == "not used yet")
        #expect(
            status {
                $0.status = .authorizedWhenInUse; $0.permission = .whenInUse
            } == "while using")
        #expect(
            status {
                $0.status = .authorizedWhenInUse; $0.permission = .once
            } == "once")
        #expect(
            status {
                $0.status = .authorizedAlways; $0.permission = .provisionalAlways
            } == "always, to be confirmed")
        #expect(
            status {
                $0.status = .denied; $0.permission = .once
            } == "denied (decided: once)")
        #expect(
            status {
                $0.status = .restricted; $0.permission = .always
            } == "restricted (decided: always)")
        #expect(status { $0.status = .restricted } == "restricted")
    }

    @Test func `apps are a table, with a line above it when services are off`() {
        let used = app {
            $0.status = .authorizedAlways
            $0.permission = .always
            $0.accuracy = .reduced
            $0.isInUse = true
            $0.processes = 1
            $0.assurance = "unit"
            $0.decidedBy = "operator"
            $0.decidedByUid = 0
        }
        let list = ManageInterface.ListApps.Reply(
            apps: [used, app { $0.uid = nil }], servicesEnabled: false, problems: [])
        let lines = AppListText(list: list, terminal: plain).table
        #expect(lines[0] == "Location services are off: no app gets a position.")
        #expect(lines[1].hasPrefix("APP       USER        STATUS        ACCURACY  IN USE       PROOF  DECIDED"))
        #expect(lines[2] == "trailmap  4294967290  always        reduced   yes          unit   by operator root")
        #expect(lines[3] == "trailmap  -           not used yet  -         not running  -      -")
        #expect(
            AppListText(
                list: ManageInterface.ListApps.Reply(apps: [], servicesEnabled: true, problems: []), terminal: plain
            ).table
                == ["There are no apps: no manifest is installed."])
    }

    @Test func `tracking is shown where it was decided, with the effect as a sentence`() {
        let denied = app {
            $0.tracking = .denied
            $0.trackingDecidedBy = "person"
            $0.trackingDecidedByUid = Self.stranger
        }
        let list = ManageInterface.ListApps.Reply(apps: [denied, app()], servicesEnabled: true, problems: [])
        let lines = AppListText(list: list, terminal: plain).table
        #expect(lines[0].hasSuffix("DECIDED  TRACKING") && lines[1].hasSuffix("denied"), "\(lines)")
        let details = AppText(app: denied).lines(for: plain)
        #expect(
            details.contains { $0.contains("Tracking") && $0.hasSuffix("denied, by 4294967290") }, "\(details)")
        #expect(!AppText(app: app()).lines(for: plain).contains { $0.contains("Tracking") })
        func sentence(_ status: TrackingAuthorizationStatus?) -> String {
            TrackingText(app: app { $0.tracking = status }).sentence
        }
        let sentences = TrackingAuthorizationStatus.allCases.map(sentence)
        #expect(Set(sentences).count == 4 && sentence(nil) == sentence(.notDetermined))
        #expect(sentence(.authorized) == "trailmap of 4294967290 may track, and receives the advertising identifier.")
        #expect(sentence(.restricted).contains("waymark restrictions"))
    }

    @Test func `one app is described with the reason why it has nothing and the command to type`() {
        let waiting = app {
            $0.status = .authorizedWhenInUse
            $0.permission = .whenInUse
            $0.processes = 2
            $0.diagnostics = ["insufficientlyInUse", "locationUnavailable", "noFix"]
        }
        let lines = AppText(app: waiting).lines(for: plain)
        #expect(lines[0] == "Trail Map (trailmap) of 4294967290")
        #expect(lines.contains { $0.hasPrefix("  Status") && $0.hasSuffix("while using") })
        let text = lines.joined(separator: "\n")
        #expect(text.contains("only while it is in use, and it is not in use."))
        #expect(text.contains("waymark authorize trailmap always --user 4294967290"))
        #expect(text.contains("The receiver has no fix yet.\n  → waymark doctor"))
        #expect(!text.contains("There is no position now"))
        let undecided = AppText(app: app()).lines(for: plain)
        #expect(undecided.contains("  It has not made a request yet."))
        let off = AppText(app: waiting, areServicesEnabled: false).lines(for: plain)
        #expect(off.contains("  → waymark services on"))
    }

    @Test func `a person is not sent to an agent that would not show the prompt of an app of her own`() {
        let asked = app { $0.diagnostics = ["agentUnavailable"] }
        #expect(AppText(app: asked).lines(for: plain).last?.contains("`waymark agent`") == true)
        let own = app {
            $0.diagnostics = ["agentUnavailable"]
            $0.manifest = "/home/mary/.config/waymark/apps/trailmap.app"
        }
        let lines = AppText(app: own).lines(for: plain)
        #expect(lines.last == "  → Answer yourself: `waymark requests`")
        #expect(lines.joined(separator: " ").contains("only while that user sits at"), "\(lines)")
    }

    @Test func `every diagnostic has a text, and a line in the page for authors`() throws {
        let page = String(
            decoding: try BoundedFile.bytes(of: Products.file("Documentation/manifests.md"), limit: 1 << 20),
            as: UTF8.self)
        for word in LocationDiagnostic.known {
            let reasons = AppReason.of([word], app: app())
            #expect(reasons.count == 1 && !reasons[0].text.contains("The daemon says"), "\(reasons)")
            #expect(page.contains("`\(word)`"), "\(word)")
        }
    }

    @Test func `the effective permission is described, with its obstacles`() {
        let allowed = app {
            $0.permission = .always
            $0.diagnostics = ["authorizationDeniedGlobally", "insufficientlyInUse"]
        }
        #expect(
            DecisionText.lines(allowed) == [
                "trailmap of 4294967290 may have positions always, at full accuracy.",
                "Not now: Location services are off, for every app. → waymark services on",
            ])
        let denied = app {
            $0.permission = .denied
            $0.diagnostics = ["authorizationDenied", "authorizationDeniedGlobally"]
        }
        #expect(DecisionText.lines(denied) == ["trailmap of 4294967290 may have no positions."])
    }

    static let refusals: [(ErrorName, JSON, String, ExitCode)] = [
        (
            .manageNoSuchApp, [:], "Did you mean trailmap?", .failure
        ),
        (
            .manageUserNeeded, ["uids": [4_294_967_290, 4_294_967_291]],
            "Several users have trailmp: 4294967290, 4294967291. Name one: waymark authorize trailmp always --user"
                + " 4294967290",
            .failure
        ),
        (
            .manageUserNeeded, ["uids": []],
            "Nobody has used trailmp yet. Name the user: waymark authorize trailmp always --user NAME", .failure
        ),
        (
            .manageUserNeeded, ["uids": [0]],
            "trailmp is a system service and belongs to no user. Omit --user: waymark authorize trailmp always",
            .failure
        ),
        (.manageRestricted, ["message": "No."], "No. `waymark restrictions` shows which.", .notAuthorized),
        (.manageNoSuchRequest, [:], "There is no request 7:", .failure),
        (
            .manageNotOffered, ["choices": ["allowOnce", "deny", "tomorrow"]],
            "The choices of this request are once or deny.",
            .usage
        ),
    ]

    @Test(arguments: refusals) func `an error of the daemon names the command to use instead`(
        error: ErrorName, details: JSON, message: String, code: ExitCode
    ) throws {
        let advice = CommandAdvice(line: "waymark authorize trailmp always", app: "trailmp", request: 7)
        let failure = try #require(advice.failure(error, details, knownNames: ["compass", "trailmap"]))
        #expect(failure.code == code)
        let json = try JSON.parse(try #require(failure.json))
        #expect(json["error"]?.stringValue == error.rawValue)
        #expect(json["message"]?.stringValue?.contains(message) == true, "\(json)")
    }

    @Test func `an error with a complete message is printed unchanged`() {
        #expect(CommandAdvice().failure(.manageJournalUnavailable, [:], knownNames: []) == nil)
        #expect(AppSuggestion.noSuchApp("map", among: ["org.example.TrailMap"]).contains("mean org.example.TrailMap?"))
        #expect(AppSuggestion.noSuchApp("x", among: ["compass"]).contains("`waymark apps` lists"))
    }
}

@Suite struct RequestTextTests {
    private func request(_ kind: PromptKind, _ choices: [PromptChoice], isShown: Bool = false) -> OpenRequest {
        OpenRequest(
            Question(
                id: 3, app: "trailmap", kind: kind, purposeKey: kind == .temporaryFullAccuracy ? "Turns" : nil,
                name: TranslatedText("Trail Map", translations: ["ko": "등산 지도"]),
                purpose: TranslatedText("Shows you.\u{1B}[2J", translations: ["ko": "위치를 표시합니다."]),
                assurance: "user", choices: choices, proposesFullAccuracy: false),
            uid: 4_294_967_290, isShown: isShown, raisedAt: 1_000)
    }

    private func lines(_ request: OpenRequest, locales: [String] = []) -> [String] {
        RequestText(request: request, now: 1_300, preference: LanguagePreference(locales))
            .lines(for: Terminal(isTerminal: false))
    }

    @Test func `a request is shown with its reason and the commands that answer it`() {
        #expect(
            lines(request(.whenInUse, [.allowOnce, .allowWhileUsing, .deny])) == [
                "3  Trail Map (trailmap) of 4294967290 asks for positions while it is used.",
                "   “Shows you.\\u{1b}[2J”", "   asked 5 min ago, no agent shows it, proof: user",
                "   → waymark answer 3 once --reduced", "   → waymark answer 3 while-using --reduced",
                "   → waymark answer 3 deny",
            ])
        let temporary = lines(request(.temporaryFullAccuracy, [.allow, .deny], isShown: true))
        #expect(temporary.contains("   asked 5 min ago, an agent shows it, proof: user, purpose Turns"))
        #expect(temporary.last == "   → waymark answer 3 deny")
        #expect(temporary.contains("   → waymark answer 3 allow"))
    }

    @Test func `its name and reason are shown in the person's language`() {
        let lines = lines(request(.changeToAlways, [.changeToAlways, .keepWhileUsing]), locales: ["ko_KR.UTF-8"])
        #expect(lines[0].hasPrefix("3  등산 지도 (trailmap) of"))
        #expect(lines[1] == "   “위치를 표시합니다.”")
    }

    @Test func `choices and words correspond one to one`() {
        #expect(Set(AnswerWord.all.map(\.word)).count == PromptChoice.allCases.count)
        for choice in PromptChoice.allCases { #expect(AnswerWord.choice(AnswerWord.text(choice)) == choice) }
        for kind in PromptKind.allCases { #expect(!RequestText.words(kind).isEmpty) }
    }
}
