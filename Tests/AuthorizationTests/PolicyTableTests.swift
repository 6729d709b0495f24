import Authorization
import Location
import Testing

/// The rows of the status table, one after another.
@Suite struct PolicyTableTests {
    @Test(arguments: [
        (Policy.Request.whenInUse, PromptChoice.allowOnce, Permission.once),
        (.whenInUse, .allowWhileUsing, .whenInUse),
        (.whenInUse, .deny, .denied),
        (.always, .allowOnce, .once),
        (.always, .allowWhileUsing, .provisionalAlways),
        (.always, .deny, .denied),
    ])
    func `an answer to the first question decides`(
        request: Policy.Request, choice: PromptChoice, becomes: Permission
    ) {
        var scene = PolicyScene()
        scene.attach()
        scene.ask(request)
        #expect(scene.shown.count == 1)
        #expect(scene.access == .refused(.notDetermined))
        scene.answer(choice)
        #expect(scene.permission == becomes)
        #expect(scene.reply(to: 50) == .authorizationState(scene.authorizationState))
        #expect(scene.authorizationState.status == becomes.status)
        #expect(scene.access == (becomes == .denied ? .refused(.denied) : .full))
        #expect(scene.policy.grants[PolicyScene.app]?.decidedBy == .person(uid: 1000))
    }

    @Test func `the person can turn Precise off, and a manifest can propose that`() {
        for (isReducedProposed, precise, expected): (Bool, Bool?, Decision.Access) in [
            (false, nil, .full), (false, false, .reduced), (true, nil, .reduced), (true, true, .full),
        ] {
            var scene = PolicyScene(manifest: PolicyScene.manifest(isDefaultAccuracyReduced: isReducedProposed))
            scene.attach()
            scene.ask(.whenInUse)
            #expect(scene.prompt?.proposesFullAccuracy == !isReducedProposed)
            scene.answer(.allowWhileUsing, precise: precise)
            #expect(scene.access == expected)
        }
    }

    @Test func `a dismissed prompt, and one that is unanswered for two minutes, change nothing`() {
        var scene = PolicyScene()
        scene.attach()
        scene.ask(.whenInUse)
        scene.send(.dismissed(prompt: scene.prompt?.id ?? 0, by: .agent(uid: 1000)))
        #expect(scene.reply(to: 50) == .authorizationState(scene.authorizationState))
        #expect(scene.prompt == nil)
        scene.ask(.whenInUse)
        scene.wait(119.9)
        #expect(scene.prompt != nil)
        scene.wait(0.1)
        #expect(scene.prompt == nil)
        #expect(scene.authorizationState.status == .notDetermined)
        #expect(scene.reply(to: 50) == .authorizationState(scene.authorizationState))
    }

    @Test(arguments: [
        (Permission.whenInUse, PromptChoice.changeToAlways, Permission.always),
        (.whenInUse, .keepWhileUsing, .whenInUse),
    ])
    func `an app with when-in-use prompts for Always only once`(
        from: Permission, choice: PromptChoice, becomes: Permission
    ) {
        var scene = PolicyScene()
        scene.attach()
        scene.set(from)
        scene.ask(.always)
        #expect(scene.shown == [.changeToAlways])
        scene.answer(choice)
        #expect(scene.permission == becomes)
        scene.set(.whenInUse)
        scene.ask(.always)
        #expect(scene.shown.isEmpty)
        #expect(scene.authorizationState.diagnostics.contains(.alwaysAuthorizationDenied))
        scene.send(.commanded(71, .reset(PolicyScene.app), by: 0))
        scene.set(.whenInUse)
        scene.ask(.always)
        #expect(scene.shown == [.changeToAlways])
    }

    @Test func `dismissing the question about Always uses it up, also over a restart`() {
        var scene = PolicyScene()
        scene.attach()
        scene.set(.whenInUse)
        scene.ask(.always)
        scene.wait(120)
        #expect(scene.prompt == nil)
        var again = PolicyScene(restoring: scene.policy.grants)
        again.attach()
        again.ask(.always)
        #expect(again.shown.isEmpty)
    }

    @Test(arguments: [
        Permission.once, .denied, .provisionalAlways, .always,
    ])
    func `a request from anything else gets the present status`(permission: Permission) {
        for request in [Policy.Request.whenInUse, .always] {
            var scene = PolicyScene()
            scene.attach()
            scene.set(permission)
            scene.ask(request)
            #expect(scene.shown.isEmpty)
            #expect(scene.reply(to: 50) == .authorizationState(scene.authorizationState))
            #expect(scene.authorizationState.status == permission.status)
        }
    }

    @Test(arguments: [
        (PromptChoice.changeToAlways, Permission.always, Decision.Access.full),
        (.keepWhileUsing, .whenInUse, .refused(.notInUse)),
    ])
    func `a provisional Always is confirmed when a position is due in the background`(
        choice: PromptChoice, becomes: Permission, access: Decision.Access
    ) {
        var scene = PolicyScene()
        scene.attach()
        scene.set(.provisionalAlways)
        #expect(scene.access == .full)
        scene.send(.positionDue(PolicyScene.app))
        #expect(scene.prompt == nil)
        scene.send(.declared(7, .background))
        #expect(scene.access == .refused(.alwaysUnconfirmed))
        scene.send(.positionDue(PolicyScene.app))
        #expect(scene.shown == [.confirmAlways])
        #expect(scene.authorizationState.status == .authorizedAlways)
        scene.answer(choice)
        #expect(scene.permission == becomes)
        #expect(scene.access == access)
    }

    @Test func `confirming Always is asked once each time in the background, and again after a reset`() {
        var scene = PolicyScene()
        scene.attach()
        scene.set(.provisionalAlways)
        scene.send(.declared(7, .background))
        scene.send(.positionDue(PolicyScene.app))
        scene.wait(120)
        scene.send(.positionDue(PolicyScene.app))
        #expect(scene.prompt == nil)
        #expect(scene.access == .refused(.alwaysUnconfirmed))
        scene.send(.declared(7, .active))
        scene.send(.declared(7, .background))
        scene.send(.positionDue(PolicyScene.app))
        #expect(scene.shown == [.confirmAlways])
        scene.send(.commanded(90, .reset(PolicyScene.app), by: 0))
        scene.set(.provisionalAlways)
        scene.send(.positionDue(PolicyScene.app))
        #expect(scene.shown == [.confirmAlways])
    }

    @Test func `what is allowed once ends ten seconds after the app left use, and not when it comes back`() {
        var scene = PolicyScene()
        scene.attach()
        scene.set(.once)
        scene.send(.declared(7, .background))
        scene.wait(9)
        scene.send(.declared(7, .active))
        scene.wait(60)
        #expect(scene.access == .full)
        scene.send(.declared(7, .background))
        #expect(scene.effects.contains(.arm(UInt64(79e9))))
        scene.wait(9.9)
        #expect(scene.permission == .once)
        scene.wait(0.1)
        #expect(scene.permission == .notDetermined)
    }

    @Test func `an authorization for once ends with the last process`() {
        var scene = PolicyScene()
        scene.attach()
        scene.attach(8)
        scene.set(.once)
        scene.send(.exited(7))
        #expect(scene.permission == .once)
        scene.send(.exited(8))
        #expect(scene.permission == .notDetermined)
    }

    @Test func `with services off everybody is denied globally and keeps what is stored`() {
        var scene = PolicyScene()
        scene.attach()
        scene.set(.always)
        scene.send(.commanded(80, .setServices(isOn: false), by: 0))
        #expect(scene.effects.contains(.paused(PolicyScene.app, .deniedGlobally)))
        #expect(scene.access == .refused(.deniedGlobally))
        #expect(scene.authorizationState.status == .denied)
        #expect(scene.authorizationState.diagnostics == .authorizationDeniedGlobally)
        #expect(scene.permission == .always)
        scene.isDurable = false
        scene.send(.commanded(81, .setServices(isOn: true), by: 0))
        #expect(scene.access == .refused(.deniedGlobally))
        scene.isDurable = true
        scene.settle()
        #expect(scene.access == .full)
        #expect(scene.effects.contains(.resumed(PolicyScene.app)))
    }

    @Test func `a restriction stands above prompts and operators until it is lifted`() {
        var scene = PolicyScene()
        scene.attach()
        scene.ask(.whenInUse)
        var restrictions = Restrictions()
        restrictions.deniedApps = ["trailmap"]
        scene.send(.restrictionsChanged(restrictions))
        #expect(scene.prompt == nil)
        #expect(scene.reply(to: 50) == .authorizationState(scene.authorizationState))
        #expect(scene.authorizationState.status == .restricted)
        scene.set(.always)
        #expect(scene.reply(to: 70) == .refused(.restricted))
        #expect(scene.access == .refused(.restricted))
        scene.ask(.whenInUse)
        #expect(scene.shown.isEmpty)
        scene.send(.restrictionsChanged(Restrictions()))
        #expect(scene.authorizationState.status == .notDetermined)
    }

    @Test func `temporary full accuracy lasts until the app leaves use and is not stored`() {
        var scene = PolicyScene()
        scene.attach()
        scene.set(.whenInUse, .reduced)
        scene.ask(.temporaryFullAccuracy(key: "Nonsense"))
        #expect(scene.reply(to: 50) == .purposeMissing(key: "Nonsense"))
        scene.ask(.temporaryFullAccuracy(key: "Navigation"))
        #expect(scene.prompt?.purpose.text == "Says when to turn.")
        scene.answer(.allow)
        #expect(scene.access == .full)
        #expect(scene.policy.grants[PolicyScene.app]?.accuracy == .reduced)
        scene.send(.declared(7, .background))
        scene.send(.declared(7, .active))
        #expect(scene.access == .reduced)
        scene.ask(.temporaryFullAccuracy(key: "Navigation"))
        scene.answer(.deny)
        #expect(scene.access == .reduced)
        #expect(scene.authorizationState.diagnostics.contains([.accuracyLimited, .fullAccuracyDenied]))
    }

    @Test func `a manifest that vanishes stops delivery until it is back, another binding forgets`() {
        var scene = PolicyScene()
        scene.attach()
        scene.set(.always)
        scene.send(.manifestsChanged(PolicyScene.catalogue(nil)))
        #expect(scene.access == .refused(.manifestMissing))
        #expect(scene.authorizationState.status == .authorizedAlways)
        #expect(scene.authorizationState.diagnostics.contains(.manifestMissing))
        scene.send(.manifestsChanged(PolicyScene.catalogue(PolicyScene.manifest())))
        #expect(scene.access == .full)
        let other = ManifestBinding([.exec: "/usr/bin/other"])
        scene.send(.manifestsChanged(PolicyScene.catalogue(PolicyScene.manifest(binding: other))))
        #expect(scene.effects.contains(.identifyAgain(7)))
        #expect(scene.access == .refused(.unidentified))
        #expect(scene.permission == .notDetermined)
        scene.send(.manifestsChanged(PolicyScene.catalogue(PolicyScene.manifest())))
        #expect(scene.permission == .notDetermined)
    }

    @Test func `without its description a request is refused without a prompt`() {
        var scene = PolicyScene(manifest: PolicyScene.manifest(always: " "))
        scene.attach()
        scene.ask(.always)
        #expect(scene.reply(to: 50) == .purposeMissing(key: "AlwaysAndWhenInUseUsageDescription"))
        #expect(scene.prompt == nil)
        scene.ask(.whenInUse)
        #expect(scene.shown == [.whenInUse])
    }
}
