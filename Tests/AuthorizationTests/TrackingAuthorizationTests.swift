import Authorization
import Location
import Testing

/// The decision about tracking, which is independent of the one about positions.
@Suite struct TrackingAuthorizationTests {
    private static func manifest(binding: ManifestBinding = PolicyScene.binding) -> Manifest {
        var manifest = PolicyScene.manifest(binding: binding)
        manifest.trackingUsage = LocalizedText("Finds out who buys walking boots.")
        return manifest
    }

    private func scene(isAgentThere: Bool = true) -> PolicyScene {
        var scene = PolicyScene(manifest: Self.manifest(), isAgentThere: isAgentThere)
        scene.attach()
        return scene
    }

    private func status(_ scene: PolicyScene) -> TrackingAuthorizationStatus {
        scene.policy.trackingStatus(of: PolicyScene.app)
    }

    @Test(arguments: [(PromptChoice.allow, TrackingAuthorizationStatus.authorized), (.deny, .denied)])
    func `an answer decides once, and has no effect on positions`(
        choice: PromptChoice, expected: TrackingAuthorizationStatus
    ) {
        var scene = scene()
        scene.ask(.tracking)
        #expect(scene.shown == [.tracking] && scene.reply(to: 50) == nil && status(scene) == .notDetermined)
        scene.answer(choice)
        #expect(scene.reply(to: 50) == .tracking(expected, nil) && status(scene) == expected)
        #expect(scene.permission == .notDetermined)
        scene.ask(.tracking)
        #expect(scene.shown.isEmpty && scene.reply(to: 50) == .tracking(expected, nil))
        scene.set(.always)
        #expect(status(scene) == expected)
    }

    @Test func `prompts about positions and tracking are open at the same time, and answered separately`() {
        var scene = scene()
        scene.ask(.whenInUse)
        scene.send(.requested(51, .tracking, by: 7))
        #expect(scene.policy.prompts.map(\.kind) == [.whenInUse, .tracking])
        scene.send(.answered(60, prompt: 2, .allow, precise: nil, by: .agent(uid: 1000)))
        #expect(scene.reply(to: 51) == .tracking(.authorized, nil) && scene.reply(to: 50) == nil)
        scene.answer(.allowWhileUsing)
        #expect(scene.permission == .whenInUse && status(scene) == .authorized)
    }

    @Test(arguments: [Policy.Command.reset(PolicyScene.app), .resetAll], [true, false])
    func `a repeated reset of this decision alone is confirmed once the first one is durable`(
        command: Policy.Command, isStored: Bool
    ) throws {
        var scene = scene()
        scene.send(.commanded(70, .setTracking(PolicyScene.app, .authorized), by: 0))
        #expect(scene.policy.awaited(of: PolicyScene.app.uid) == nil)
        scene.isDurable = false
        scene.send(.commanded(71, command, by: 0))
        let token = try #require(scene.policy.awaited(of: PolicyScene.app.uid))
        #expect(scene.policy.awaited(of: PolicyScene.other.uid) == nil)
        scene.send(.commanded(72, command, by: 0))
        #expect(scene.reply(to: 72) == nil)
        scene.send(isStored ? .persisted(token) : .notPersisted(token))
        let reply = try #require(scene.reply(to: 72))
        #expect((reply == .notStored) == !isStored)
    }

    @Test func `an app that was restarted while its prompt is shown receives the answer`() {
        var scene = scene()
        scene.ask(.tracking)
        scene.send(.exited(7))
        scene.attach(8)
        scene.send(.requested(51, .tracking, by: 8))
        #expect(scene.reply(to: 51) == nil && scene.shown.isEmpty)
        scene.answer(.allow)
        #expect(scene.reply(to: 51) == .tracking(.authorized, nil))
    }

    @Test func `a permission is in effect when it is durable, and a denial at once`() {
        var scene = scene()
        scene.isDurable = false
        scene.send(.commanded(70, .setTracking(PolicyScene.app, .authorized), by: 0))
        #expect(status(scene) == .notDetermined && scene.reply(to: 70) == nil)
        guard case .persist(let token, let records)? = scene.effects.first(where: { $0.token != nil }) else {
            Issue.record("nothing is stored")
            return
        }
        #expect(records.map(\.kind) == [.trackingAuthorizationChanged])
        scene.send(.persisted(token))
        #expect(scene.reply(to: 70) == .tracking(.authorized, nil) && status(scene) == .authorized)
        scene.send(.commanded(71, .setTracking(PolicyScene.app, .denied), by: 0))
        #expect(status(scene) == .denied && scene.reply(to: 71) == nil)
        let second = scene.effects.compactMap(\.token).first ?? 0
        scene.send(.notPersisted(second))
        #expect(scene.reply(to: 71) == .notStored && status(scene) == .denied, "a narrowing remains")
        scene.send(.commanded(72, .setTracking(PolicyScene.app, .authorized), by: 0))
        scene.send(.notPersisted(scene.effects.compactMap(\.token).first ?? 0))
        #expect(status(scene) == .denied, "a widening that is not stored never takes effect")
    }

    @Test func `a restriction overrides a decision, and ends a prompt`() {
        var scene = scene()
        scene.ask(.tracking)
        var restrictions = Restrictions()
        restrictions.forbidsTracking = true
        scene.send(.restrictionsChanged(restrictions))
        #expect(scene.reply(to: 50) == .tracking(.restricted, nil) && scene.policy.prompts.isEmpty)
        scene.send(.commanded(70, .setTracking(PolicyScene.app, .authorized), by: 0))
        #expect(scene.reply(to: 70) == .refused(.restricted))
        scene.send(.restrictionsChanged(Restrictions()))
        #expect(status(scene) == .notDetermined)
        restrictions = Restrictions()
        restrictions.failures = [Restrictions.Failure(file: "a.conf", reason: "")]
        scene.send(.restrictionsChanged(restrictions))
        #expect(status(scene) == .restricted, "an unreadable file may forbid it")
    }

    @Test func `location services that are off are no obstacle`() {
        var scene = scene()
        scene.send(.commanded(70, .setServices(isOn: false), by: 0))
        scene.ask(.tracking)
        #expect(scene.shown == [.tracking])
        scene.answer(.allow)
        #expect(status(scene) == .authorized)
    }

    @Test func `an app that is not in use asks nobody, and neither does one without a purpose`() {
        var scene = PolicyScene(manifest: Self.manifest())
        scene.attach(7, .background)
        scene.ask(.tracking)
        #expect(scene.reply(to: 50) == .tracking(.notDetermined, .notInUse) && scene.policy.prompts.isEmpty)
        var silent = PolicyScene()
        silent.attach()
        silent.ask(.tracking)
        #expect(silent.reply(to: 50) == .purposeMissing(key: "UserTrackingUsageDescription"))
    }

    @Test func `without an agent the request is listed, and shown by an agent that comes later`() {
        var scene = scene(isAgentThere: false)
        scene.ask(.tracking)
        #expect(scene.reply(to: 50) == .tracking(.notDetermined, .agentUnavailable))
        scene.send(.agentRegistered(1, uid: 1000))
        #expect(scene.shown == [.tracking])
    }

    @Test func `a decision ends with a reset, with another program under the name, and with the user's data`() {
        for event in [
            Policy.Event.commanded(70, .setTracking(PolicyScene.app, nil), by: 0),
            .commanded(70, .reset(PolicyScene.app), by: 0), .commanded(70, .resetAll, by: 0),
            .accountErased(1000, by: .rule),
            .manifestsChanged(PolicyScene.catalogue(Self.manifest(binding: ManifestBinding([.exec: "/bin/other"])))),
        ] {
            var scene = scene()
            scene.ask(.tracking)
            scene.answer(.allow)
            #expect(scene.policy.decidedApps == [PolicyScene.app])
            scene.send(event)
            #expect(status(scene) == .notDetermined && scene.policy.decidedApps.isEmpty, "\(event)")
        }
    }

    @Test func `a stored decision and a stored prompt are restored`() {
        var before = scene()
        before.send(.commanded(70, .setTracking(PolicyScene.app, .denied), by: 0))
        let grant = before.policy.trackingGrant(of: PolicyScene.app)
        var policy = Policy(
            restoring: [:], tracking: [PolicyScene.app: grant], manifests: PolicyScene.catalogue(Self.manifest()))
        _ = policy.start(at: before.now)
        #expect(policy.trackingStatus(of: PolicyScene.app) == .denied)
        var asking = scene(isAgentThere: false)
        asking.ask(.tracking)
        let after = PolicyScene(manifest: Self.manifest(), prompts: asking.policy.prompts)
        #expect(after.policy.prompts.map(\.kind) == [.tracking])
    }
}

extension Policy.Effect {
    fileprivate var token: Policy.Token? {
        if case .persist(let token, _) = self { token } else { nil }
    }
}
