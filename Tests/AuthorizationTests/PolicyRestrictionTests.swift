import Authorization
import Location
import Testing

/// Restrictions of apps apply to processes, whatever the names of their apps.
@Suite struct PolicyRestrictionTests {
    private func process(_ id: UInt64, fitted: Set<String>) -> Policy.Event {
        .attached(
            Policy.Process(
                id: id, app: PolicyScene.app, assurance: .user, isInSession: true, fitted: fitted))
    }

    private func denying(_ names: Set<String>) -> Policy.Event {
        var restrictions = Restrictions()
        restrictions.deniedApps = names
        return .restrictionsChanged(restrictions)
    }

    @Test func `an app is denied while a process of it fits a denied app's manifest, and after its last one did`() {
        var scene = PolicyScene()
        scene.set(.always)
        scene.send(denying(["denied"]))
        #expect(scene.authorizationState.status == .authorizedAlways)
        scene.send(process(7, fitted: ["trailmap"]))
        #expect(scene.access == .full)
        scene.send(process(8, fitted: ["trailmap", "denied"]))
        #expect(scene.access == .refused(.restricted), "the other process of the app shares what it has")
        scene.send(.exited(7))
        scene.send(.exited(8))
        #expect(scene.policy.decide(for: PolicyScene.app, at: scene.now).access == .refused(.restricted))
        scene.set(.always)
        #expect(scene.reply(to: 70) == .refused(.restricted))
        scene.send(process(7, fitted: ["trailmap"]))
        #expect(scene.access == .full)
    }

    @Test func `the manifests that fit a process may change while it runs`() {
        var scene = PolicyScene()
        scene.set(.always)
        scene.send(denying(["denied@"]))
        scene.send(process(7, fitted: []))
        #expect(scene.access == .full)
        scene.send(.fitted(7, ["denied@north"]))
        #expect(scene.access == .refused(.restricted))
        #expect(scene.effects.contains(.paused(PolicyScene.app, .restricted)))
        scene.send(.fitted(7, ["other@north"]))
        #expect(scene.access == .full)
    }

    @Test func `an app whose manifest names what a denied app's names is denied before it has a process`() {
        var scene = PolicyScene()
        scene.set(.always)
        scene.send(denying(["denied"]))
        let decide = { (scene: PolicyScene) in scene.policy.decide(for: PolicyScene.app, at: scene.now).access }
        #expect(decide(scene) == .full)
        for (shared, personal) in [(["denied"], [String]()), ([], ["denied"])] {
            var catalogue = PolicyScene.catalogue(PolicyScene.manifest())
            for name in shared { catalogue.shared[name] = PolicyScene.manifest() }
            for name in personal { catalogue.personal[PolicyScene.app.uid] = [name: PolicyScene.manifest()] }
            scene.send(.manifestsChanged(catalogue))
            #expect(decide(scene) == .refused(.restricted))
            scene.send(.manifestsChanged(PolicyScene.catalogue(PolicyScene.manifest())))
            #expect(decide(scene) == .full)
        }
        // Another user's manifest applies to that user's processes.
        var catalogue = PolicyScene.catalogue(PolicyScene.manifest())
        catalogue.personal[PolicyScene.other.uid] = ["denied": PolicyScene.manifest()]
        scene.send(.manifestsChanged(catalogue))
        #expect(decide(scene) == .full)
    }

    @Test func `only the machine's manifest makes an app one of those that are allowed`() {
        let catalogues = [
            (PolicyScene.catalogue(PolicyScene.manifest()), Decision.Access.full),
            (
                ManifestCatalogue(personal: [PolicyScene.app.uid: [PolicyScene.app.name: PolicyScene.manifest()]]),
                .refused(.restricted)
            ),
        ]
        for (catalogue, expected) in catalogues {
            var scene = PolicyScene()
            scene.send(.manifestsChanged(catalogue))
            scene.set(.always)
            var restrictions = Restrictions()
            restrictions.allowedApps = [PolicyScene.app.name]
            scene.send(.restrictionsChanged(restrictions))
            #expect(scene.policy.decide(for: PolicyScene.app, at: scene.now).access == expected)
        }
    }

    @Test func `a user's manifest of one of the machine's names is not heard`() {
        let personal = PolicyScene.manifest(whenInUse: "Something else.", always: nil)
        let uid = PolicyScene.app.uid
        var catalogue = PolicyScene.catalogue(PolicyScene.manifest())
        catalogue.shared["up@"] = PolicyScene.manifest(binding: ManifestBinding([.userUnit: "up@.service"]))
        catalogue.masked = ["taken"]
        catalogue.personal = [
            uid: ["trailmap": personal, "up@": personal, "up@a": personal, "taken": personal, "own": personal]
        ]
        catalogue.hidden = [uid: ["trailmap", "up@", "up@a", "taken", "own"]]
        for name in ["trailmap", "up@a", "up@b"] {
            let manifest = catalogue[AppID(uid: uid, name: name)]
            #expect(manifest?.whenInUseUsage?.text == "Shows where you are.", "\(name)")
            #expect(catalogue.users(named: name).isEmpty)
        }
        #expect(catalogue[AppID(uid: uid, name: "taken")] == nil)
        #expect(catalogue[AppID(uid: uid, name: "own")] == personal)
        #expect(catalogue.users(named: "own") == [uid])
    }

    @Test func `nothing that is stored of a suspended user counts, and all of it again afterwards`() {
        var scene = PolicyScene()
        scene.set(.always)
        scene.send(process(7, fitted: []))
        #expect(scene.access == .full)
        scene.send(.suspensionChanged(PolicyScene.app.uid, isSuspended: true))
        #expect(scene.access == .refused(.restricted))
        #expect(scene.effects.contains(.paused(PolicyScene.app, .restricted)))
        scene.set(.always)
        #expect(scene.access == .refused(.restricted), "nor can anything be decided")
        scene.send(.suspensionChanged(PolicyScene.app.uid + 1, isSuspended: false))
        #expect(scene.access == .refused(.restricted))
        scene.send(.suspensionChanged(PolicyScene.app.uid, isSuspended: false))
        #expect(scene.access == .full)
    }

    @Test func `what is erased of a user is forgotten for all of that user's apps, by a rule`() {
        var scene = PolicyScene()
        scene.set(.always)
        scene.send(process(7, fitted: []))
        scene.send(.suspensionChanged(PolicyScene.app.uid, isSuspended: true))
        scene.send(.accountErased(PolicyScene.app.uid, by: .rule))
        #expect(scene.policy.grant(of: PolicyScene.app) == Grant())
        scene.send(.suspensionChanged(PolicyScene.app.uid, isSuspended: false))
        #expect(scene.access == .refused(.notDetermined))
    }
}
