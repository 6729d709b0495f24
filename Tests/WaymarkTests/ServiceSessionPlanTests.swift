import Interfaces
import Location
import Testing

@testable import Waymark

/// Which request a `ServiceSession` makes.
struct ServiceSessionPlanTests {
    private func authorization(
        _ status: AuthorizationStatus, _ accuracy: AccuracyAuthorization = .full, isInUse: Bool = true,
        isAsked: Bool = false
    ) -> AppAuthorization {
        AppAuthorization(
            status: status, accuracy: accuracy, diagnostics: isAsked ? [.authorizationRequestInProgress] : [],
            isInUse: isInUse)
    }

    @Test func `nothing is asked while the app is not in use, a prompt is shown, or the decision was made`() {
        for requirement in [.whenInUse, .always, .none] as [ServiceSession.AuthorizationRequirement] {
            var plan = ServiceSessionPlan(requirement, fullAccuracyPurposeKey: "key")
            #expect(plan.next(for: authorization(.notDetermined, isInUse: false)) == nil)
            #expect(plan.next(for: authorization(.notDetermined, isAsked: true)) == nil)
            #expect(plan.next(for: authorization(.denied, .reduced)) == nil)
            #expect(plan.next(for: authorization(.restricted, .reduced)) == nil)
            #expect(plan.next(for: authorization(.authorizedAlways)) == nil)
        }
        var none = ServiceSessionPlan(.none, fullAccuracyPurposeKey: nil)
        #expect(none.next(for: authorization(.notDetermined)) == nil)
        #expect(none.next(for: authorization(.authorizedWhenInUse, .reduced)) == nil)
    }

    @Test func `each request is made once, full accuracy last`() {
        var plan = ServiceSessionPlan(.always, fullAccuracyPurposeKey: "key")
        #expect(plan.next(for: authorization(.authorizedWhenInUse, .reduced)) == .always)
        #expect(plan.next(for: authorization(.authorizedWhenInUse, .reduced)) == .fullAccuracy(purposeKey: "key"))
        #expect(plan.next(for: authorization(.authorizedWhenInUse, .reduced)) == nil)
        #expect(plan.next(for: authorization(.authorizedAlways, .reduced)) == nil)
        var first = ServiceSessionPlan(.whenInUse, fullAccuracyPurposeKey: nil)
        #expect(first.next(for: authorization(.notDetermined)) == .whenInUse)
        #expect(first.next(for: authorization(.notDetermined)) == nil)
    }
}
