import Authorization
import Location
import Testing

@Suite struct PolicyRuleTests {
    // In use

    @Test(arguments: UserState.allCases, Activity.allCases)
    func `an app is in use while a process declares it and its user is active`(user: UserState, activity: Activity) {
        var scene = PolicyScene(isUserThere: false)
        scene.send(.userChanged(1000, user))
        scene.attach(7, activity)
        let isExpected = user == .active && (activity == .active || activity == .inactive)
        #expect(scene.policy.isInUse(PolicyScene.app) == isExpected)
    }

    @Test func `a process counts as in the background until it says otherwise, and as suspended while frozen`() {
        var scene = PolicyScene()
        scene.set(.whenInUse)
        scene.attach(7, nil)
        #expect(scene.access == .refused(.notInUse))
        scene.send(.declared(7, .active))
        #expect(scene.access == .full)
        scene.send(.froze(7, isFrozen: true))
        #expect(scene.access == .refused(.notInUse))
        #expect(scene.effects.contains(.paused(PolicyScene.app, .notInUse)))
        scene.send(.froze(7, isFrozen: false))
        #expect(scene.effects.contains(.resumed(PolicyScene.app)))
        scene.send(.exited(7))
        #expect(scene.access == .refused(.unidentified))
    }

    @Test func `a hold keeps in use what was in use when it began`() {
        var scene = PolicyScene()
        scene.set(.whenInUse)
        scene.attach(7, .background)
        scene.send(.holdBegan(1, by: 7))
        #expect(scene.effects.contains(.holdRefused(1)))
        scene.send(.declared(7, .active))
        scene.send(.holdBegan(2, by: 7))
        scene.send(.declared(7, .background))
        scene.send(.userChanged(1000, .locked))
        #expect(scene.access == .full)
        scene.send(.holdEnded(2))
        #expect(scene.access == .refused(.notInUse))
    }

    @Test(arguments: [(false, false, false), (true, false, false), (false, true, false), (true, true, true)])
    func `a service is in use only by a manifest of root's that says so`(
        isAlwaysInUse: Bool, isRoots: Bool, isExpected: Bool
    ) {
        let manifest = PolicyScene.manifest(isAlwaysInUse: isAlwaysInUse, isRoots: isRoots)
        var scene = PolicyScene(manifest: manifest)
        scene.attach(isInSession: false)
        #expect(scene.policy.isInUse(PolicyScene.app) == isExpected)
    }

    // Durable before effective

    @Test func `a grant counts once it is stored, and the answer waits for that`() {
        var scene = PolicyScene()
        scene.attach()
        scene.ask(.whenInUse)
        scene.settle()
        scene.isDurable = false
        scene.answer(.allowWhileUsing)
        #expect(scene.access == .refused(.notDetermined))
        #expect(scene.reply(to: 50) == nil)
        scene.isDurable = true
        scene.settle()
        #expect(scene.access == .full)
        #expect(scene.reply(to: 50) == .authorizationState(scene.authorizationState))
    }

    @Test func `a revocation counts at once, also over a grant that is still to be stored`() {
        var scene = PolicyScene()
        scene.attach()
        scene.set(.whenInUse)
        scene.isDurable = false
        scene.set(.always)
        let late = scene.effects
        scene.set(.denied)
        #expect(scene.access == .refused(.denied))
        #expect(scene.effects.contains(.paused(PolicyScene.app, .denied)))
        for case .persist(let token, _) in late { scene.send(.persisted(token)) }
        #expect(scene.access == .refused(.denied))
    }

    @Test func `of a change that both widens and narrows the narrowing takes effect at once`() {
        var scene = PolicyScene()
        scene.attach()
        scene.set(.whenInUse, .full)
        scene.isDurable = false
        scene.set(.always, .reduced)
        #expect(scene.access == .reduced)
        #expect(scene.authorizationState.status == .authorizedWhenInUse)
    }

    @Test func `an authorization for once has ended in time even if the timer is late`() {
        var scene = PolicyScene()
        scene.attach()
        scene.set(.once)
        scene.send(.declared(7, .background))
        #expect(scene.access == .refused(.notInUse))
        scene.seconds += 10
        #expect(scene.access == .refused(.notDetermined))
        scene.send(.declared(7, .active))
        #expect(scene.access == .refused(.notDetermined))
    }

    // Agents

    @Test func `without an agent the request is answered at once and stays listed`() {
        var scene = PolicyScene(isAgentThere: false)
        scene.attach()
        scene.ask(.whenInUse)
        #expect(scene.reply(to: 50) == .authorizationState(scene.authorizationState))
        #expect(scene.authorizationState.diagnostics.contains(.agentUnavailable))
        scene.wait(1000)
        #expect(scene.prompt != nil)
        scene.send(
            .answered(61, prompt: scene.prompt?.id ?? 0, .allowWhileUsing, precise: nil, by: .operator(uid: 0)))
        #expect(scene.access == .full)
    }

    @Test func `an agent that comes is shown what is listed, one that goes leaves it listed`() {
        var scene = PolicyScene(isAgentThere: false)
        scene.attach()
        scene.ask(.whenInUse)
        scene.send(.agentRegistered(4, uid: 1001))
        #expect(scene.shown.isEmpty)
        scene.send(.agentRegistered(5, uid: 1000))
        #expect(scene.shown == [.whenInUse])
        scene.send(.requested(51, .always, by: 7))
        #expect(scene.reply(to: 51) == .requestInProgress(scene.authorizationState))
        scene.send(.agentUnregistered(5))
        #expect(scene.prompt != nil)
        #expect(scene.authorizationState.diagnostics.contains(.agentUnavailable))
    }

    @Test func `an agent cannot answer for another user, nor what is not offered`() {
        var scene = PolicyScene()
        scene.attach()
        scene.ask(.whenInUse)
        let id = scene.prompt?.id ?? 0
        scene.send(.answered(61, prompt: id, .allowOnce, precise: nil, by: .agent(uid: 1001)))
        #expect(scene.reply(to: 61) == .notYours)
        scene.send(.answered(62, prompt: id, .changeToAlways, precise: nil, by: .agent(uid: 1000)))
        #expect(scene.reply(to: 62) == .notOffered)
        scene.send(.answered(63, prompt: id + 1, .allowOnce, precise: nil, by: .agent(uid: 1000)))
        #expect(scene.reply(to: 63) == .unknownPrompt)
        #expect(scene.permission == .notDetermined)
    }

    @Test func `an app that is not in use raises no prompt`() {
        var scene = PolicyScene()
        scene.attach(7, .background)
        scene.ask(.whenInUse)
        #expect(scene.prompt == nil)
        guard case .authorizationState(let authorizationState)? = scene.reply(to: 50) else {
            return #expect(Bool(false))
        }
        #expect(authorizationState.diagnostics.contains(.insufficientlyInUse))
    }

    // Restrictions and restarts

    @Test func `restrictions limit what is stored without changing it`() {
        var scene = PolicyScene()
        scene.attach()
        scene.set(.always, .full)
        var restrictions = Restrictions()
        restrictions.forbidsAlways = true
        restrictions.forbidsFullAccuracy = true
        scene.send(.restrictionsChanged(restrictions))
        #expect(scene.access == .reduced)
        #expect(scene.authorizationState.status == .authorizedWhenInUse)
        #expect(scene.authorizationState.diagnostics.contains([.alwaysAuthorizationDenied, .fullAccuracyDenied]))
        scene.send(.declared(7, .background))
        #expect(scene.access == .refused(.notInUse))
        scene.send(.restrictionsChanged(Restrictions()))
        #expect(scene.access == .full)
    }

    @Test func `a restriction that cannot be read restricts all that it might have meant`() {
        var restrictions = Restrictions()
        #expect(!restrictions.denies(PolicyScene.app))
        restrictions.failures = [Restrictions.Failure(file: "x.conf", reason: "", mightMean: [.recording])]
        #expect(restrictions.limitsRecording)
        #expect(!restrictions.denies(PolicyScene.app))
        restrictions.failures = [Restrictions.Failure(file: "x.conf", reason: "")]
        #expect(restrictions.denies(PolicyScene.app))
        #expect(restrictions.limitsToInUse && restrictions.limitsToReducedAccuracy)
    }

    @Test func `over a restart an unanswered prompt stays listed, and what was allowed once has ended`() {
        var scene = PolicyScene()
        scene.attach()
        scene.ask(.whenInUse)
        let prompts = scene.policy.prompts
        let again = PolicyScene(prompts: prompts, isAgentThere: false)
        #expect(again.prompt?.id == prompts.first?.id)
        scene.answer(.allowOnce)
        #expect(scene.permission == .once)
        let later = PolicyScene(restoring: scene.policy.grants)
        #expect(later.permission == .notDetermined)
    }

    @Test func `a prompt from before a restart is proved by the next process of its app`() {
        var scene = PolicyScene()
        scene.attach()
        scene.ask(.whenInUse)
        // The journal stores no proof.
        let prompts = scene.policy.prompts.map {
            Prompt(
                id: $0.id, app: $0.app, kind: $0.kind, name: $0.name, purpose: $0.purpose, assurance: nil,
                proposesFullAccuracy: $0.proposesFullAccuracy)
        }
        var again = PolicyScene(prompts: prompts)
        #expect(again.prompt?.assurance == nil)
        again.attach(8)
        #expect(again.prompt?.assurance == .user)
        again.attach(9)
        #expect(again.shown.isEmpty, "it is shown again once")
        var shown = PolicyScene(prompts: prompts)
        let process = Policy.Process(id: 8, app: PolicyScene.app, assurance: .unit, isInSession: true)
        shown.send(.attached(process))
        #expect(shown.shown == [.whenInUse] && shown.prompt?.assurance == .unit)
    }

    @Test func `an app that was restarted while its prompt is shown receives the answer`() {
        var scene = PolicyScene()
        scene.attach()
        scene.ask(.whenInUse)
        scene.send(.exited(7))
        scene.attach(8)
        scene.send(.requested(51, .whenInUse, by: 8))
        #expect(scene.reply(to: 51) == nil && scene.shown.isEmpty, "nobody is asked twice")
        scene.send(.requested(52, .whenInUse, by: 8))
        #expect(scene.reply(to: 52) == .requestInProgress(scene.authorizationState), "one process asks once")
        scene.attach(9)
        scene.send(.requested(53, .always, by: 9))
        #expect(scene.reply(to: 53) == .requestInProgress(scene.authorizationState), "another request")
        scene.answer(.allowWhileUsing)
        #expect(scene.reply(to: 51) == .authorizationState(scene.authorizationState))
        #expect(scene.authorizationState.status == .authorizedWhenInUse)
    }

    @Test func `reset --all forgets every app and that it was asked`() {
        var scene = PolicyScene()
        scene.set(.always)
        scene.send(.commanded(1, .set(PolicyScene.other, .denied, nil), by: 0))
        #expect(scene.policy.grants.count == 2)
        scene.send(.commanded(2, .resetAll, by: 0))
        #expect(scene.reply(to: 2) == .done)
        #expect(scene.policy.grants.isEmpty)
    }

    @Test func `a process whose assurance is too low is not identified`() {
        var scene = PolicyScene()
        scene.set(.always)
        scene.attach()
        #expect(scene.access == .full)
        scene.send(.minimumAssuranceChanged(.unit))
        #expect(scene.access == .refused(.unidentified))
        scene.attach(8)
        #expect(scene.policy.decide(for: 8, at: scene.now).refusal == .unidentified)
    }

    @Test func `only a decision for full accuracy makes disclosures`() throws {
        let coordinate = try #require(Coordinate(latitude: 12.5, longitude: -70.25))
        let fix = Fix(
            time: UTCTime(microseconds: 1_780_000_000_000_000), receivedAt: 1, coordinate: coordinate,
            horizontalAccuracy: 2.5)
        var scene = PolicyScene()
        scene.attach()
        #expect(scene.policy.decide(for: 7, at: scene.now).view(of: fix) == nil)
        scene.set(.whenInUse, .reduced)
        #expect(scene.policy.decide(for: 7, at: scene.now).view(of: fix) == nil)
        #expect(scene.policy.decide(for: 7, at: scene.now).view(of: SkyView()) == nil)
        scene.set(.whenInUse, .full)
        #expect(scene.policy.decide(for: 7, at: scene.now).view(of: fix)?.position.coordinate == coordinate)
    }

    @Test func `a reduced fix is for who has reduced accuracy, and is a cell, a tick and no more`() throws {
        let cell = try #require(ReducedCell(band: 2_801, column: 1_234))
        let reduced = ReducedFix(cell: cell, tick: ReducedTick(number: 1_483_333), isSimulated: true)
        var scene = PolicyScene()
        scene.attach()
        #expect(scene.policy.decide(for: 7, at: scene.now).view(of: reduced) == nil)
        scene.set(.whenInUse, .full)
        #expect(scene.policy.decide(for: 7, at: scene.now).view(of: reduced) == nil)
        scene.set(.whenInUse, .reduced)
        let disclosure = try #require(scene.policy.decide(for: 7, at: scene.now).view(of: reduced))
        #expect(
            disclosure.position
                == Position(
                    timestamp: 1_779_999_600, coordinate: cell.centre, horizontalAccuracy: 7_000, accuracy: .reduced,
                    isSimulated: true))
        scene.set(.denied)
        #expect(scene.policy.decide(for: 7, at: scene.now).view(of: reduced) == nil)
    }

    @Test func `a binding's digest distinguishes bindings`() {
        #expect(
            ManifestBinding([.unit: "a;1", .exec: "b"]).digest != ManifestBinding([.unit: "a", .exec: "1;b"]).digest)
        #expect(PolicyScene.binding.digest == ManifestBinding([.userUnit: "app-*trailmap*.scope"]).digest)
    }
}
