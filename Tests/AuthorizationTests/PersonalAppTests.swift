import Authorization
import Testing

/// Who is asked about an app that depends on its user's own manifest.
@Suite struct PersonalAppTests {
    private static let binding = ManifestBinding([.exec: "/home/one/trailmap"])
    private static let manifest = PolicyScene.manifest(binding: binding)

    /// The scene's app with its user's own manifest, an agent, and a process in use.
    private func scene(shared: Manifest? = nil) -> PolicyScene {
        var scene = PolicyScene(manifest: nil)
        scene.send(.manifestsChanged(Self.catalogue(shared: shared)))
        scene.attach()
        return scene
    }

    private static func catalogue(shared: Manifest? = nil) -> ManifestCatalogue {
        ManifestCatalogue(
            shared: shared.map { ["trailmap": $0] } ?? [:], personal: [1000: ["trailmap": manifest]])
    }

    /// Stored bytes that cannot be read.
    private final class LostBytes: StoredBytes {
        func bytes(at offset: Int, count: Int) -> [UInt8]? { nil }
    }

    @Test func `a person is not asked where the app's words cannot be read`() {
        let text = LocalizedText("Shows where you are.")
        let lost = LocalizedText(
            text, stored: StoredText(text, packed: text.packed, in: LostBytes(), at: 0), keepsText: false)
        var scene = PolicyScene(manifest: nil)
        var manifest = Self.manifest
        manifest.whenInUseUsage = lost
        scene.send(.manifestsChanged(ManifestCatalogue(personal: [1000: ["trailmap": manifest]])))
        scene.attach()
        scene.ask(.whenInUse)
        #expect(scene.prompt == nil && scene.shown.isEmpty)
        #expect(scene.reply(to: 50) == .purposeMissing(key: "WhenInUseUsageDescription"))
        #expect(scene.permission == .notDetermined)
        manifest.mayRecord = true
        #expect(manifest.recordsForPurpose, "that it says why is known")
    }

    @Test func `without its user at the machine a prompt is listed for operators and no agent may answer it`() throws {
        var scene = scene()
        scene.ask(.whenInUse)
        #expect(scene.shown.isEmpty)
        #expect(scene.reply(to: 50) == .authorizationState(scene.authorizationState), "nobody waits for an answer")
        let prompt = try #require(scene.prompt)
        #expect(!scene.policy.isShown(prompt))
        scene.answer(.allowWhileUsing)
        #expect(scene.reply(to: 60) == .notYours && scene.permission == .notDetermined)
        scene.send(.dismissed(prompt: prompt.id, by: .agent(uid: 1000)))
        #expect(scene.prompt != nil)
        // It is not shown to another agent either.
        scene.send(.agentUnregistered(1))
        scene.send(.agentRegistered(2, uid: 1000))
        #expect(scene.shown.isEmpty)
        scene.send(.answered(61, prompt: prompt.id, .allowWhileUsing, precise: nil, by: .operator(uid: 0)))
        #expect(scene.permission == .whenInUse && scene.access == .full)
    }

    @Test func `with its user at the machine the agent is asked, and no longer once the user has left`() throws {
        var scene = scene()
        scene.ask(.whenInUse)
        scene.send(.presenceChanged(1000, isPresent: true))
        #expect(scene.shown == [.whenInUse])
        let prompt = try #require(scene.prompt)
        scene.send(.presenceChanged(1000, isPresent: false))
        #expect(scene.effects.contains(.withdraw(prompt)) && !scene.policy.isShown(prompt))
        scene.answer(.allowWhileUsing)
        #expect(scene.reply(to: 60) == .notYours)
        scene.send(.presenceChanged(1000, isPresent: true))
        scene.answer(.allowWhileUsing)
        #expect(scene.permission == .whenInUse)
    }

    @Test func `an app of the machine's is asked about wherever its user is`() {
        var scene = PolicyScene()
        scene.attach()
        scene.ask(.whenInUse)
        #expect(scene.shown == [.whenInUse])
        scene.answer(.allowWhileUsing)
        #expect(scene.permission == .whenInUse)
    }

    @Test func `a prompt of the machine's app is withdrawn where a file of the user's replaces that app`() throws {
        var scene = PolicyScene()
        scene.attach()
        scene.ask(.whenInUse)
        let prompt = try #require(scene.prompt)
        #expect(scene.policy.isShown(prompt))
        // Another file of the user with the same binding, which may have different texts.
        let other = PolicyScene.manifest(whenInUse: "Warms the tea.")
        scene.send(.manifestsChanged(ManifestCatalogue(personal: [1000: ["trailmap": other]])))
        scene.answer(.allowWhileUsing)
        #expect(scene.reply(to: 60) != nil && scene.permission == .notDetermined)
    }
}
