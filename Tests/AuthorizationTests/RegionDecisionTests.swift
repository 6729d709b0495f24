import Authorization
import Location
import Testing

private struct Secret: RegionInformation, Equatable {}

/// Whether regions are monitored and disclosed.
@Suite struct RegionDecisionTests {
    private func scene(_ permission: Permission, _ accuracy: AccuracyAuthorization = .full) -> PolicyScene {
        PolicyScene(restoring: [
            PolicyScene.app: Grant(permission: permission, accuracy: accuracy, binding: PolicyScene.binding.digest)
        ])
    }

    private func decide(_ scene: PolicyScene) -> RegionDecision {
        scene.policy.decideRegions(for: PolicyScene.app, at: scene.now)
    }

    private func restrict(_ scene: inout PolicyScene, _ change: (inout Restrictions) -> Void) {
        var restrictions = Restrictions()
        change(&restrictions)
        scene.send(.restrictionsChanged(restrictions))
    }

    @Test(
        arguments: [
            (Permission.always, AccuracyAuthorization.full, nil), (.always, .reduced, .accuracyReduced),
            (.whenInUse, .full, .refused(.notInUse)), (.provisionalAlways, .full, .refused(.alwaysUnconfirmed)),
            (.denied, .full, .refused(.denied)), (.notDetermined, .full, .refused(.notDetermined)),
        ] as [(Permission, AccuracyAuthorization, RegionDecision.Refusal?)])
    func `nothing is disclosed unless positions of full accuracy may be delivered`(
        permission: Permission, accuracy: AccuracyAuthorization, refusal: RegionDecision.Refusal?
    ) {
        let decision = decide(scene(permission, accuracy))
        #expect(decision.refusal == refusal)
        #expect((decision.view(of: Secret()) != nil) == (refusal == nil))
    }

    @Test func `a restriction can forbid regions alone`() {
        var scene = scene(.always)
        restrict(&scene) { $0.forbidsRegions = true }
        #expect(decide(scene).refusal == .refused(.restricted))
        #expect(scene.policy.decide(for: PolicyScene.app, at: scene.now).access == .full)
        restrict(&scene) { _ in }
        #expect(decide(scene).isPermitted)
    }

    @Test(arguments: Restrictions.Right.allCases)
    func `a restriction that could not be read forbids what it might have meant`(_ right: Restrictions.Right) {
        var scene = scene(.always)
        restrict(&scene) { $0.failures = [.init(file: "x.conf", reason: "unreadable", mightMean: [right])] }
        #expect(decide(scene).isPermitted == (right == .recording || right == .tracking))
    }

    @Test func `operators are permitted, and nobody else without an app`() {
        #expect(Policy.decideRegions(isOperator: true).view(of: Secret())?.content == Secret())
        #expect(Policy.decideRegions(isOperator: false).refusal == .refused(.unidentified))
    }
}
