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

    /// The messages to an agent, and the app.
    @DaemonActor private final class Reported {
        var prompts: [Prompt] = []
        var withdrawn: [UInt64] = []
        var replies: [Policy.Reply] = []
    }

    @DaemonActor private func makeAuthorizer() async throws -> (Authorizer, JournalSupervisor) {
        var settings = Settings()
        settings.journal.stateDirectory = directory.file("state")
        settings.authorization.manifests = [directory.file("apps")]
        settings.authorization.personalManifests = .no
        settings.authorization.restrictions = directory.file("restrictions.d")
        let changes = Changes()
        let journal = try JournalSupervisor(
            settings: settings.journal, recording: settings.recording, changes: changes, clock: clock)
        let recorder = EventRecorder(journal: journal.journal)
        let authorizer = try Authorizer(
            settings: settings.authorization, operators: OperatorPolicy(groupName: "waymark"), recorder: recorder,
            ledger: try PositionLedger(journal: journal.journal, recorder: recorder, clock: clock), changes: changes,
            clock: clock)
        changes.react = { change in
            if case .journalLoaded(let authorization, _) = change { authorizer.load(authorization) }
        }
        #expect(try await eventually(isolation: #isolation) { authorizer.isLoaded })
        return (authorizer, journal)
    }

    /// Brings the app into use and registers an agent of its user. Returns the agent's messages.
    @DaemonActor private func useApp(of authorizer: Authorizer) -> Reported {
        authorizer.send(.userChanged(Self.app.uid, .active))
        authorizer.send(
            .attached(Policy.Process(id: Self.process, app: Self.app, assurance: .program, isInSession: true)))
        authorizer.send(.declared(Self.process, .active))
        let reported = Reported()
        _ = authorizer.registerAgent(
            uid: Self.app.uid, onPrompt: { reported.prompts.append($0) },
            onWithdrawn: { reported.withdrawn.append($0) },
            onHolds: { _ in })
        return reported
    }

    @Test @DaemonActor func `a prompt without an answer for two minutes is withdrawn, and may be shown again`()
        async throws
    {
        let (authorizer, journal) = try await makeAuthorizer()
        let reported = useApp(of: authorizer)
        authorizer.request(.whenInUse, by: Self.process) { reported.replies.append($0) }
        let prompt = try #require(reported.prompts.first)
        #expect(authorizer.prompts.map(\.isShown) == [true])

        clock.advance(seconds: 119.9)
        authorizer.send(.timePassed)
        #expect(reported.withdrawn.isEmpty && reported.replies.isEmpty)
        clock.advance(seconds: 0.1)
        authorizer.send(.timePassed)
        #expect(reported.withdrawn == [prompt.id])
        #expect(authorizer.prompts.isEmpty)
        #expect(
            try await eventually(isolation: #isolation) { !reported.replies.isEmpty },
            "the waiting request gets its reply when that is stored")
        guard case .authorizationState(let state)? = reported.replies.first else {
            Issue.record("\(reported.replies)")
            return
        }
        #expect(state.status == .notDetermined)

        var answers: [Policy.Reply] = []
        authorizer.answer(prompt: prompt.id, .allowWhileUsing, precise: nil, by: .agent(uid: Self.app.uid)) {
            answers.append($0)
        }
        #expect(answers == [.unknownPrompt], "an answer that comes too late decides nothing")
        authorizer.request(.whenInUse, by: Self.process) { reported.replies.append($0) }
        #expect(reported.prompts.count == 2 && reported.prompts[1].id > prompt.id)
        await withCheckedContinuation { continuation in journal.close { continuation.resume() } }
    }

    @Test @DaemonActor func `a person is prompted five times for an app, then once every twelve minutes`() async throws
    {
        let (authorizer, journal) = try await makeAuthorizer()
        let reported = useApp(of: authorizer)
        func askAndDismiss() async throws {
            let asked = reported.replies.count
            authorizer.request(.whenInUse, by: Self.process) { reported.replies.append($0) }
            if let prompt = authorizer.prompts.first?.prompt {
                authorizer.dismiss(prompt: prompt.id, by: .agent(uid: Self.app.uid))
            }
            #expect(try await eventually(isolation: #isolation) { reported.replies.count > asked })
        }
        for _ in 0..<8 { try await askAndDismiss() }
        #expect(reported.prompts.count == 5)
        #expect(reported.replies.count == 8, "an app that requests too often gets its present status")
        clock.advance(seconds: 719)
        try await askAndDismiss()
        #expect(reported.prompts.count == 5)
        clock.advance(seconds: 1)
        for _ in 0..<3 { try await askAndDismiss() }
        #expect(reported.prompts.count == 6)

        authorizer.command(.reset(Self.app), by: 0) { reported.replies.append($0) }
        #expect(try await eventually(isolation: #isolation) { reported.replies.count == 13 })
        try await askAndDismiss()
        #expect(reported.prompts.count == 7, "after an operator's reset the app begins anew")
        await withCheckedContinuation { continuation in journal.close { continuation.resume() } }
    }
}
