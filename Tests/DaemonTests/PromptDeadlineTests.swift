import Accounts
import Authorization
import Configuration
import Journal
import Platform
import TestSupport
import Testing

@testable import Daemon

/// Prompts without an answer, by a clock that the test sets.
@Suite struct PromptDeadlineTests {
    private static let app = AppID(uid: 1_000, name: "trailmap")
    private static let process: Policy.ProcessID = 1 << 40

    private let directory: TemporaryDirectory
    private let clock = ManualClock()

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
        try directory.write(
            "apps/trailmap.app",
            "[App]\nName=Trail Map\nExec=/usr/bin/trailmap\nWhenInUseUsageDescription=Shows where you are on the map.\n"
        )
    }

    /// What an agent was shown, and the app was replied.
    @DaemonActor private final class Scene {
        let authorizer: Authorizer
        let prompts: Prompts
        let journal: JournalSupervisor
        var shown: [Prompt] = []
        var withdrawn: [UInt64] = []
        var replies: [Policy.Reply] = []

        init(_ settings: Settings, clock: ManualClock) throws {
            let changes = Changes()
            journal = try JournalSupervisor(
                settings: settings.journal, recording: settings.recording, changes: changes, clock: clock)
            let accounts = UserAccounts(clock: clock)
            let recorder = try ClientRecorder(
                events: EventRecorder(journal: journal.journal), accounts: accounts, clock: clock)
            authorizer = try Authorizer(
                minimumAssurance: settings.authorization.minimumAssurance,
                library: ManifestLibrary(settings.authorization, accounts: accounts, changes: changes),
                recorder: recorder,
                changes: changes, clock: clock)
            let users = UserStates(
                personalManifests: .no, authorizer: authorizer, recorder: recorder, changes: changes)
            prompts = Prompts(authorizer: authorizer, users: users, accounts: accounts, clock: clock)
            changes.react = { [weak self] in self?.react(to: $0) }
        }

        private func react(to change: Change) {
            switch change {
            case .journalLoaded(let authorization, _): authorizer.load(authorization)
            case .promptRaised(let prompt): prompts.raised(prompt)
            case .promptEnded(let id): prompts.ended(id)
            case .promptLimitsReset(let app): prompts.resetLimits(of: app)
            case .promptShown(let prompt, _): shown.append(prompt)
            case .promptWithdrawn(let prompt): withdrawn.append(prompt.id)
            default: break
            }
        }
    }

    /// The app is in use, and its user has an agent.
    @DaemonActor private func makeScene() async throws -> Scene {
        var settings = Settings()
        settings.journal.stateDirectory = directory.file("state")
        settings.authorization.manifests = [directory.file("apps")]
        settings.authorization.personalManifests = .no
        settings.authorization.restrictions = directory.file("restrictions.d")
        let scene = try Scene(settings, clock: clock)
        let authorizer = scene.authorizer
        #expect(try await eventually(isolation: #isolation) { authorizer.isLoaded })
        authorizer.send(.userChanged(Self.app.uid, .active))
        authorizer.send(
            .attached(Policy.Process(id: Self.process, app: Self.app, assurance: .program, isInSession: true)))
        authorizer.send(.declared(Self.process, .active))
        authorizer.send(.agentRegistered(authorizer.newNumber(), uid: Self.app.uid))
        return scene
    }

    @Test @DaemonActor func `a prompt without an answer for two minutes is withdrawn, and may be shown again`()
        async throws
    {
        let scene = try await makeScene()
        let (authorizer, prompts) = (scene.authorizer, scene.prompts)
        prompts.request(.whenInUse, by: Self.process) { scene.replies.append($0) }
        let prompt = try #require(scene.shown.first)
        #expect(prompts.all.map(\.isShown) == [true])

        clock.advance(seconds: 119.9)
        authorizer.send(.timePassed)
        #expect(scene.withdrawn.isEmpty && scene.replies.isEmpty)
        clock.advance(seconds: 0.1)
        authorizer.send(.timePassed)
        #expect(scene.withdrawn == [prompt.id])
        #expect(prompts.all.isEmpty)
        #expect(
            try await eventually(isolation: #isolation) { !scene.replies.isEmpty },
            "who waited is answered once that is stored")
        guard case .authorizationState(let first)? = scene.replies.first else {
            Issue.record("\(scene.replies)")
            return
        }
        #expect(first.status == .notDetermined)

        var answers: [Policy.Reply] = []
        prompts.answer(prompt, .allowWhileUsing, precise: nil, by: .agent(uid: Self.app.uid)) {
            answers.append($0)
        }
        #expect(answers == [.unknownPrompt], "an answer that comes too late decides nothing")
        prompts.request(.whenInUse, by: Self.process) { scene.replies.append($0) }
        #expect(scene.shown.count == 2 && scene.shown[1].id > prompt.id)
        await withCheckedContinuation { continuation in scene.journal.close { continuation.resume() } }
    }

    @Test @DaemonActor func `a person is prompted five times for an app, then once every twelve minutes`() async throws
    {
        let scene = try await makeScene()
        let (authorizer, prompts) = (scene.authorizer, scene.prompts)
        func askAndDismiss() async throws {
            let asked = scene.replies.count
            prompts.request(.whenInUse, by: Self.process) { scene.replies.append($0) }
            if let prompt = prompts.all.first?.prompt {
                prompts.dismiss(prompt, by: .agent(uid: Self.app.uid))
            }
            #expect(try await eventually(isolation: #isolation) { scene.replies.count > asked })
        }
        for _ in 0..<8 { try await askAndDismiss() }
        #expect(scene.shown.count == 5)
        #expect(scene.replies.count == 8, "an app beyond the limit receives its present state")
        clock.advance(seconds: 719)
        try await askAndDismiss()
        #expect(scene.shown.count == 5)
        clock.advance(seconds: 1)
        for _ in 0..<3 { try await askAndDismiss() }
        #expect(scene.shown.count == 6)

        authorizer.command(.reset(Self.app), by: 0) { scene.replies.append($0) }
        #expect(try await eventually(isolation: #isolation) { scene.replies.count == 13 })
        try await askAndDismiss()
        #expect(scene.shown.count == 7, "an operator who has it forgotten has the app begin anew")
        await withCheckedContinuation { continuation in scene.journal.close { continuation.resume() } }
    }
}
