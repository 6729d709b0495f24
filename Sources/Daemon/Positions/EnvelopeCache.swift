import Authorization
import Location
import Platform

/// Shares encoded updates of one fix between streams with the same decision.
@DaemonActor
struct EnvelopeCache {
    /// What updates of this fix say in `stationary`; false for fixes of reduced accuracy.
    let isStationary: Bool
    private var last: (decision: Decision, reported: ReportedAuthorization, envelope: UpdateEnvelope)?

    init(isStationary: Bool = false) {
        self.isStationary = isStationary
    }

    /// The encoded disclosure of the present fix, reused from the previous stream if the decision and the
    /// reported authorization are the same.
    mutating func envelope(
        _ decision: Decision, _ reported: ReportedAuthorization, disclose: () -> Disclosure?
    ) -> UpdateEnvelope {
        if let last, last.decision == decision, last.reported == reported { return last.envelope }
        let envelope = UpdateEnvelope(disclose(), decision.diagnostics, reported, isStationary: isStationary)
        last = (decision, reported, envelope)
        return envelope
    }
}
