import Authorization
import Location
import Testing

/// Which rows of a recording a present decision permits to be read.
@Suite struct RecordedDecisionTests {
    private func position(_ accuracy: AccuracyAuthorization) throws -> Position {
        Position(
            timestamp: 1_780_000_000, coordinate: try #require(Coordinate(latitude: 12.5, longitude: -70.25)),
            horizontalAccuracy: accuracy == .full ? 3 : 7_000, accuracy: accuracy)
    }

    private func scene(
        _ permission: Permission, _ accuracy: AccuracyAuthorization = .full,
        _ recordedAccuracy: RecordedAccuracy = .recorded
    ) -> PolicyScene {
        var manifest = PolicyScene.manifest()
        manifest.recordedAccuracy = recordedAccuracy
        return PolicyScene(
            manifest: manifest,
            restoring: [
                PolicyScene.app: Grant(
                    permission: permission, accuracy: accuracy, binding: PolicyScene.binding.digest)
            ])
    }

    private func decide(_ scene: PolicyScene) -> RecordedDecision {
        scene.policy.decideRecorded(for: PolicyScene.app, at: scene.now)
    }

    private func restrict(_ scene: inout PolicyScene, _ change: (inout Restrictions) -> Void) {
        var restrictions = Restrictions()
        change(&restrictions)
        scene.send(.restrictionsChanged(restrictions))
    }

    private func expect(
        _ decision: RecordedDecision, full: Bool, reduced: Bool, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let (exact, coarse) = (try position(.full), try position(.reduced))
        #expect(decision.view(ofRecorded: exact)?.position == (full ? exact : nil), sourceLocation: location)
        #expect(decision.view(ofRecorded: coarse)?.position == (reduced ? coarse : nil), sourceLocation: location)
    }

    @Test func `an authorized app reads its rows as they were recorded, in use or not and reduced or not`() throws {
        for permission in [Permission.whenInUse, .provisionalAlways, .always] {
            try expect(decide(scene(permission)), full: true, reduced: true)
            try expect(decide(scene(permission, .reduced)), full: true, reduced: true)
        }
    }

    @Test(arguments: [Permission.denied, .notDetermined])
    func `an app that is not authorized reads nothing`(_ permission: Permission) throws {
        let decision = decide(scene(permission))
        #expect(decision.refusal == (permission == .denied ? .denied : .notDetermined))
        try expect(decision, full: false, reduced: false)
    }

    @Test func `while full accuracy is forbidden exact rows are withheld, and afterwards they are not`() throws {
        var scene = scene(.always)
        restrict(&scene) { $0.forbidsFullAccuracy = true }
        #expect(decide(scene).withholding == .restriction)
        try expect(decide(scene), full: false, reduced: true)
        restrict(&scene) { _ in }
        try expect(decide(scene), full: true, reduced: true)
    }

    @Test func `while recording is forbidden no row leaves, and afterwards every one does`() throws {
        var scene = scene(.always)
        restrict(&scene) { $0.forbidsRecording = true }
        #expect(decide(scene).refusal == .restricted)
        try expect(decide(scene), full: false, reduced: false)
        restrict(&scene) { _ in }
        try expect(decide(scene), full: true, reduced: true)
    }

    @Test(arguments: Restrictions.Right.allCases)
    func `a restriction that could not be read withholds what it might have meant`(_ right: Restrictions.Right) throws {
        var scene = scene(.always)
        restrict(&scene) { $0.failures = [.init(file: "x.conf", reason: "unreadable", mightMean: [right])] }
        let isOther = [.always, .regions, .tracking].contains(right)
        try expect(decide(scene), full: isOther, reduced: isOther || right == .fullAccuracy)
    }

    @Test func `by RecordedAccuracy=present rows are no more exact than the present grant`() throws {
        var scene = scene(.always, .reduced, .present)
        #expect(decide(scene).withholding == .grant)
        try expect(decide(scene), full: false, reduced: true)
        scene.set(.always, .full)
        try expect(decide(scene), full: true, reduced: true)
    }
}
