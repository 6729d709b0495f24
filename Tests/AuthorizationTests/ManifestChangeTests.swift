import Authorization
import Testing

/// The event that a change of the machine's manifests is recorded with.
@Suite struct ManifestChangeTests {
    private var scene = PolicyScene(manifest: nil)

    private mutating func replace(
        _ shared: [String: Manifest], personal: [String: Manifest] = [:]
    ) -> [[String: String]] {
        scene.send(.manifestsChanged(ManifestCatalogue(shared: shared, personal: [1_000: personal])))
        return scene.effects.compactMap { effect in
            guard case .note(let record) = effect, record.kind == .manifestsChanged else { return nil }
            return record.details
        }
    }

    @Test mutating func `what was added, changed and removed is recorded, and once`() {
        let map = PolicyScene.manifest()
        let other = PolicyScene.manifest(whenInUse: "Another text.")
        #expect(replace(["map": map, "bus": map]) == [["added": "bus map"]])
        #expect(replace(["map": map, "bus": map]).isEmpty)
        #expect(replace(["map": other, "tram": map]) == [["added": "tram", "changed": "map", "removed": "bus"]])
        #expect(replace([:]) == [["removed": "map tram"]])
    }

    @Test mutating func `manifests that were there at the start are no change, nor are users' own`() {
        scene = PolicyScene()
        let manifest = PolicyScene.manifest()
        #expect(replace([PolicyScene.app.name: manifest]).isEmpty)
        #expect(replace([PolicyScene.app.name: manifest], personal: ["own": manifest]).isEmpty)
    }

    @Test mutating func `of very many only some are named`() {
        let names = (10..<35).map { "app\($0)" }
        let manifests = Dictionary(uniqueKeysWithValues: names.map { ($0, PolicyScene.manifest()) })
        let listed = names.prefix(10).joined(separator: " ")
        #expect(replace(manifests) == [["added": "\(listed) and 15 more"]])
    }
}
