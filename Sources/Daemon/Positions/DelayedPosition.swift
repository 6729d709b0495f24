import Authorization
import Location
import Platform

/// A position that was due for a client and is not disclosed yet. The gate's decision at the time of sending discloses it.
struct DelayedPosition {
    /// What was due.
    enum Subject {
        case full(Fix)
        case reduced(ReducedFix)
    }

    let subject: Subject
    /// When it was due, in nanoseconds of CLOCK_MONOTONIC.
    let dueAt: UInt64
    /// Further diagnostics of its update.
    var more: [String] = []
    var isStationary = false

    /// Its update; nil if the decision does not permit a position of this accuracy.
    @DaemonActor
    func envelope(_ decision: Decision, _ reported: ReportedAuthorization) -> UpdateEnvelope? {
        let disclosure =
            switch subject {
            case .full(let fix): decision.view(of: fix)
            case .reduced(let fix): decision.view(of: fix)
            }
        guard let disclosure else { return nil }
        return UpdateEnvelope(disclosure, decision.diagnostics, reported, more: more, isStationary: isStationary)
    }
}
