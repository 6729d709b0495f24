import Authorization
import Location
import Testing

/// Rights that last as long as an app is in use, over a restart of the daemon.
@Suite struct ContinuationTests {
    private static let app = PolicyScene.app

    /// The scene after a restart: the daemon ended at the earlier scene's time and starts again after this many
    /// seconds.
    private func restarted(
        _ before: PolicyScene, after absent: Double, restoring grants: [AppID: Grant]? = nil,
        manifest: Manifest? = PolicyScene.manifest()
    ) -> PolicyScene {
        let ended = before.now.monotonicNanoseconds
        let continuing = before.policy.continuing.mapValues { retained in
            var retained = retained
            retained.outOfUseSince = retained.outOfUseSince ?? ended
            return retained
        }
        return PolicyScene(
            manifest: manifest, restoring: grants ?? before.policy.grants, continuing: continuing,
            seconds: before.seconds + absent)
    }

    /// An app in use with an authorization for once.
    private func once() -> PolicyScene {
        var scene = PolicyScene()
        scene.attach()
        scene.ask(.whenInUse)
        scene.answer(.allowOnce)
        return scene
    }

    /// An app in use with temporary full accuracy.
    private func temporary() -> PolicyScene {
        var scene = PolicyScene()
        scene.attach()
        scene.set(.whenInUse, .reduced)
        scene.ask(.temporaryFullAccuracy(key: "Navigation"))
        scene.answer(.allow)
        return scene
    }

    @Test func `an authorization for once continues when the same process is in use again`() {
        var scene = restarted(once(), after: 2)
        #expect(scene.permission == .once)
        #expect(scene.authorizationState.status == .notDetermined, "nobody has it before the process is back")
        scene.attach(8, mark: 7)
        #expect(scene.access == .refused(.unidentified))
        #expect(scene.policy.decide(for: 8, at: scene.now).access == .full)
        scene.wait(60)
        #expect(scene.policy.decide(for: 8, at: scene.now).access == .full)
        // From then on the usual rules apply.
        scene.send(.declared(8, .background))
        scene.wait(9.9)
        #expect(scene.permission == .once)
        scene.wait(0.1)
        #expect(scene.permission == .notDetermined)
    }

    @Test func `another process of the app does not have it, and can request it again`() {
        var scene = restarted(once(), after: 2)
        scene.attach(7, mark: 99)
        #expect(scene.access == .refused(.notDetermined))
        scene.ask(.whenInUse)
        #expect(scene.prompt?.kind == .whenInUse)
        #expect(scene.permission == .notDetermined)
        // It is too late for the process that had the authorization.
        scene.attach(8, mark: 7)
        #expect(scene.policy.decide(for: 8, at: scene.now).access == .refused(.notDetermined))
    }

    @Test func `a process that is in use does not stop the clock for one that has not come back`() {
        var scene = restarted(once(), after: 2)
        scene.attach(7, mark: 99)
        scene.wait(7.9)
        #expect(scene.permission == .once)
        scene.wait(0.1)
        #expect(scene.permission == .notDetermined)
    }

    @Test(arguments: [0, 3, 9.9, 10, 60])
    func `the time without a daemon counts`(_ absent: Double) {
        var scene = restarted(once(), after: absent)
        scene.attach(8, mark: 7)
        #expect((scene.policy.decide(for: 8, at: scene.now).access == .full) == (absent < 10))
        #expect(scene.permission == (absent < 10 ? .once : .notDetermined))
    }

    @Test func `an app that was out of use already is given no more time`() {
        var before = once()
        before.send(.declared(7, .background))
        before.wait(6)
        var scene = restarted(before, after: 3)
        scene.attach(8, .background, mark: 7)
        #expect(scene.permission == .once)
        scene.wait(1)
        #expect(scene.permission == .notDetermined)
    }

    @Test func `an authorization for once ends with the last process that returned`() {
        var scene = restarted(once(), after: 1)
        scene.attach(8, .background, mark: 7)
        scene.send(.exited(8))
        #expect(scene.permission == .notDetermined)
    }

    @Test func `what was decided meanwhile wins`() {
        let before = once()
        for grant in [Grant(permission: .denied, decidedAt: UTCTime(microseconds: 99)), Grant()] {
            var scene = restarted(before, after: 1, restoring: [Self.app: grant])
            scene.attach(8, mark: 7)
            #expect(scene.permission == grant.permission)
        }
        // Also for once, but by a different decision.
        var other = before.policy.grants
        other[Self.app]?.decidedAt = UTCTime(microseconds: 99)
        #expect(restarted(before, after: 1, restoring: other).permission == .notDetermined)
    }

    @Test func `a no that could not be stored is not undone by a restart`() {
        var before = once()
        let stored = before.policy.grants
        before.isDurable = false
        before.set(.denied)
        #expect(before.policy.continuing.isEmpty)
        for case .persist(let token, _) in before.effects { before.send(.notPersisted(token)) }
        #expect(before.policy.continuing.isEmpty)
        #expect(restarted(before, after: 1, restoring: stored).permission == .notDetermined)
    }

    @Test func `a reset or a set after the restart ends the waiting`() {
        for command in [Policy.Command.reset(Self.app), .set(Self.app, .denied, nil)] {
            var scene = restarted(once(), after: 1)
            scene.send(.commanded(1, command, by: 0))
            scene.attach(8, mark: 7)
            #expect(scene.policy.decide(for: 8, at: scene.now).refusal != nil)
            #expect(scene.permission != .once)
        }
    }

    @Test func `without its manifest, or under another binding, an app does not come back`() {
        var exited = restarted(once(), after: 1, manifest: nil)
        exited.attach(8, mark: 7)
        #expect(exited.policy.decide(for: 8, at: exited.now).refusal != nil)
        exited.wait(9)
        #expect(exited.permission == .notDetermined)
        let other = PolicyScene.manifest(binding: ManifestBinding([.exec: "/usr/bin/other"]))
        #expect(restarted(once(), after: 1, manifest: other).permission == .notDetermined)
    }

    @Test func `temporary full accuracy continues when the same process is in use again`() {
        var scene = restarted(temporary(), after: 2)
        scene.attach(7, mark: 99)
        #expect(scene.access == .reduced)
        scene.attach(8, .background, mark: 7)
        #expect(scene.access == .full, "the app is in use, and one of those is back")
        scene.send(.declared(7, .background))
        scene.send(.declared(7, .active))
        #expect(scene.access == .reduced)
    }

    @Test(arguments: [3, 10, 60])
    func `temporary full accuracy ends by the time without a daemon`(_ absent: Double) {
        var scene = restarted(temporary(), after: absent)
        scene.attach(8, mark: 7)
        #expect((scene.policy.decide(for: 8, at: scene.now).access == .full) == (absent < 10))
    }

    @Test func `full accuracy that a person refuses meanwhile does not return`() {
        var scene = restarted(temporary(), after: 1)
        scene.attach(7, mark: 99)
        scene.ask(.temporaryFullAccuracy(key: "Navigation"))
        scene.answer(.deny)
        scene.attach(8, mark: 7)
        #expect(scene.access == .reduced)
    }

    @Test func `a background session is begun again by the process that had it, for ten seconds`() {
        var before = PolicyScene()
        before.set(.whenInUse)
        before.attach()
        before.send(.holdBegan(5, by: 7))
        before.send(.declared(7, .background))
        before.wait(3_600)
        for (mark, wait) in [(7, 9.9), (7, 10), (99, 1)] as [(UInt64, Double)] {
            var scene = restarted(before, after: 3_600)
            scene.wait(wait)
            scene.attach(8, .background, mark: mark)
            scene.send(.holdBegan(6, by: 8))
            let mayHold = mark == 7 && wait < 10
            #expect(scene.effects.contains(.holdRefused(6)) != mayHold, "\(mark) after \(wait) s")
            #expect(scene.policy.isInUse(Self.app) == mayHold)
        }
    }

    @Test func `a session that was ended is not begun again`() {
        var before = PolicyScene()
        before.set(.whenInUse)
        before.attach()
        before.send(.holdBegan(5, by: 7))
        var scene = restarted(before, after: 1)
        scene.attach(8, .background, mark: 7)
        scene.send(.holdBegan(6, by: 8))
        #expect(scene.policy.isInUse(Self.app))
        scene.send(.holdEnded(6))
        scene.send(.holdBegan(9, by: 8))
        #expect(scene.effects.contains(.holdRefused(9)))
    }

    @Test func `a second restart adds no time`() {
        var scene = restarted(once(), after: 4)
        scene = restarted(scene, after: 4)
        #expect(scene.permission == .once)
        scene = restarted(scene, after: 2)
        #expect(scene.permission == .notDetermined)
    }
}
