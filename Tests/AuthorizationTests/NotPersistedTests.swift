import Authorization
import Location
import Testing

/// What happens if the journal reports that a decision could not be stored.
@Suite struct NotPersistedTests {
    /// A scene whose transactions are pending until the test reports their result.
    private func scene(_ permission: Permission = .whenInUse, _ accuracy: AccuracyAuthorization = .full) -> PolicyScene
    {
        var scene = PolicyScene(
            restoring: [
                PolicyScene.app: Grant(
                    permission: permission, accuracy: accuracy, binding: PolicyScene.binding.digest)
            ])
        scene.attach()
        scene.isDurable = false
        return scene
    }

    @Test func `a grant that cannot be stored never takes effect, and the requester gets an error`() {
        var scene = PolicyScene()
        scene.attach()
        scene.ask(.whenInUse)
        scene.isDurable = false
        scene.answer(.allowWhileUsing)
        let wish = scene.tokens
        scene.lose(wish)
        #expect(scene.reply(to: 50) == .notStored)
        #expect(scene.reply(to: 60) == .notStored)
        #expect(scene.access == .refused(.notDetermined))
        #expect(scene.permission == .notDetermined)
        scene.keep(wish)
        #expect(scene.access == .refused(.notDetermined))
    }

    @Test func `a revocation that cannot be stored stays in force, and the revoking call gets an error`() {
        var scene = scene(.always)
        scene.set(.denied)
        #expect(scene.access == .refused(.denied))
        scene.lose(scene.tokens)
        #expect(scene.reply(to: 70) == .notStored)
        #expect(scene.access == .refused(.denied))
        #expect(scene.authorizationState.status == .denied)
    }

    @Test func `a revocation that could not be stored can be stored later`() {
        var scene = scene(.always)
        scene.set(.denied)
        scene.lose(scene.tokens)
        scene.set(.denied)
        #expect(scene.stored.last?.permission == .denied)
        scene.keep(scene.tokens)
        #expect(scene.reply(to: 70) == .authorizationState(scene.authorizationState))
    }

    @Test func `a reset that could not be stored is stored when it is asked for again`() {
        var scene = scene(.always)
        for _ in 1...2 {
            scene.send(.commanded(71, .reset(PolicyScene.app), by: 0))
            #expect(scene.stored == [Grant()])
            scene.lose(scene.tokens)
            #expect(scene.reply(to: 71) == .notStored)
            #expect(scene.access == .refused(.notDetermined))
        }
        // The policy remembers the app because of that, even without a process.
        scene.send(.exited(7))
        scene.send(.commanded(72, .resetAll, by: 0))
        #expect(scene.stored == [Grant()])
        scene.keep(scene.tokens)
        #expect(scene.reply(to: 72) == .done)
        #expect(scene.policy.grants == [:])
    }

    @Test func `a command about all apps is answered after the decisions that it finds`() {
        var scene = scene(.always)
        scene.send(.commanded(71, .reset(PolicyScene.app), by: 0))
        let pending = scene.tokens
        scene.send(.commanded(72, .resetAll, by: 0))
        #expect(scene.stored.isEmpty && scene.reply(to: 72) == nil)
        scene.keep(pending)
        #expect(scene.reply(to: 72) == .done)
    }

    @Test func `of a change that both widens and narrows only the narrowing remains`() {
        var scene = scene(.whenInUse, .full)
        scene.set(.always, .reduced)
        scene.lose(scene.tokens)
        #expect(scene.access == .reduced)
        #expect(scene.permission == .whenInUse)
        scene.send(.declared(7, .background))
        #expect(scene.access == .refused(.notInUse))
    }

    @Test func `a denial that could not be stored outlasts a grant that cannot be either`() {
        var scene = scene(.whenInUse)
        scene.set(.denied)
        scene.lose(scene.tokens)
        scene.set(.always)
        scene.lose(scene.tokens)
        #expect(scene.access == .refused(.denied))
        scene.set(.whenInUse)
        scene.keep(scene.tokens)
        #expect(scene.access == .full)
    }

    @Test func `two pending temporary accuracies end independently, in any order`() {
        // A change from whenInUse to denied and then to always: which of the two is stored, and the resulting access in
        // the background.
        let cases: [(isFirstStored: Bool, isSecondStored: Bool, Decision.Access)] = [
            (true, true, .full), (false, true, .full), (true, false, .refused(.denied)),
            (false, false, .refused(.denied)),
        ]
        for (isFirstStored, isSecondStored, access) in cases {
            for isSecondFirst in [false, true] where !isSecondFirst || !isSecondStored {
                var scene = scene(.whenInUse)
                scene.set(.denied)
                let first = scene.tokens
                scene.set(.always)
                let second = scene.tokens
                #expect(scene.access == .refused(.denied))
                if isSecondFirst { scene.lose(second) }
                if isFirstStored { scene.keep(first) } else { scene.lose(first) }
                if !isSecondFirst { if isSecondStored { scene.keep(second) } else { scene.lose(second) } }
                #expect(scene.access == access, "\(isFirstStored) \(isSecondStored) \(isSecondFirst)")
            }
        }
    }

    @Test func `a pending denial is in effect while an earlier grant becomes durable`() {
        var scene = scene(.notDetermined)
        scene.set(.always)
        let grant = scene.tokens
        scene.set(.denied)
        let denial = scene.tokens
        scene.lose(denial)
        scene.keep(grant)
        #expect(scene.access == .refused(.denied))
    }

    @Test func `a question about Always that is shown stores nothing of a grant that could not be stored`() {
        var scene = scene(.notDetermined)
        scene.set(.whenInUse)
        let grant = scene.tokens
        scene.send(.requested(51, .always, by: 7))
        #expect(scene.shown == [.changeToAlways])
        let shown = scene.tokens
        #expect(!scene.changes.contains { if case .grant = $0 { true } else { false } })
        scene.lose(grant)
        scene.keep(shown)
        #expect(scene.permission == .notDetermined)
        #expect(scene.prompt == nil)
    }

    @Test func `full accuracy for a while that cannot be written down is not given`() {
        var scene = scene(.whenInUse, .reduced)
        scene.ask(.temporaryFullAccuracy(key: "Navigation"))
        scene.answer(.allow)
        scene.send(.requested(52, .temporaryFullAccuracy(key: "Navigation"), by: 7))
        #expect(scene.reply(to: 52) == nil)
        scene.lose([1, 2, 3, 4])
        #expect(scene.replies.contains(.notStored))
        #expect(scene.access == .reduced)
        scene.ask(.temporaryFullAccuracy(key: "Navigation"))
        #expect(scene.prompt != nil)
    }

    @Test
    func `services that cannot be turned on durably stay off, those turned off stay off, and both can be repeated`() {
        var scene = scene(.whenInUse)
        func services(_ isOn: Bool) {
            scene.send(.commanded(80, .setServices(isOn: isOn), by: 0))
            #expect(scene.changes == [.services(isOn: isOn)])
        }
        for _ in 1...2 {
            services(false)
            #expect(scene.access == .refused(.deniedGlobally))
            scene.lose(scene.tokens)
            #expect(scene.reply(to: 80) == .notStored)
            #expect(scene.access == .refused(.deniedGlobally))
        }
        services(true)
        scene.lose(scene.tokens)
        #expect(scene.reply(to: 80) == .notStored)
        #expect(scene.access == .refused(.deniedGlobally))
        services(true)
        scene.keep(scene.tokens)
        #expect(scene.reply(to: 80) == .done)
        #expect(scene.access == .full)
    }

    @Test func `what falls back to once ends ten seconds after that`() {
        var scene = scene(.notDetermined)
        scene.isDurable = true
        scene.set(.once)
        scene.isDurable = false
        scene.set(.always)
        scene.send(.declared(7, .background))
        scene.seconds += 60
        scene.lose(scene.tokens + Array(1...20))
        #expect(scene.permission == .once)
        scene.wait(9)
        #expect(scene.permission == .once)
        scene.wait(1)
        #expect(scene.permission == .notDetermined)
    }
}

extension PolicyScene {
    /// The tokens of the transactions of the last event.
    var tokens: [Policy.Token] {
        effects.compactMap { if case .persist(let token, _) = $0 { token } else { nil } }
    }

    /// The changes that the last event has to store.
    var changes: [Policy.Record.Change] {
        effects.flatMap { effect -> [Policy.Record.Change] in
            if case .persist(_, let records) = effect { records.compactMap(\.change) } else { [] }
        }
    }

    var stored: [Grant] { changes.compactMap { if case .grant(let grant) = $0 { grant } else { nil } } }

    var replies: [Policy.Reply] {
        effects.compactMap { if case .reply(_, let reply) = $0 { reply } else { nil } }
    }

    /// Reports to the policy that these transactions could not be stored.
    mutating func lose(_ tokens: [Policy.Token]) { finish(tokens) { .notPersisted($0) } }

    /// Reports to the policy that these transactions are stored.
    mutating func keep(_ tokens: [Policy.Token]) { finish(tokens) { .persisted($0) } }

    private mutating func finish(_ tokens: [Policy.Token], _ event: (Policy.Token) -> Policy.Event) {
        effects = []
        for token in tokens { effects += policy.handle(event(token), at: now) }
    }
}
