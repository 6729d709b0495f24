import Authorization
import Interfaces
import Location
import Platform
import Tracking
import Varlink

/// A client's call of `Monitor`: decides what of each fix is due, and asks the gate at each delivery.
@DaemonActor
final class PositionStream {
    let call: Call
    private let gate: Gate
    private var requester: Requester
    private var subscription: Subscription
    /// Updates that were taken back before the client could read them.
    private var missed = 0

    init(_ call: Call, request: MonitorRequest, requester: Requester, gate: Gate) {
        self.call = call
        self.gate = gate
        self.requester = requester
        subscription = Subscription(
            desiredAccuracy: request.desiredAccuracy, distanceFilter: request.distanceFilter,
            interval: request.interval)
    }

    /// Gives the client a fix where it is due and the gate lets it through.
    func deliver(_ fix: Fix, sharing cache: inout EnvelopeCache) {
        guard subscription.decide(fix) == .deliver else { return }
        do throws(Refusal) {
            let disclosure = try gate.view(of: fix, for: requester)
            let envelope = cache.envelope(disclosure, standing: Standing(gate, for: requester))
            let missed = self.missed
            self.missed = 0
            call.offer { dropped in envelope.reply(dropped: dropped + missed) }
        } catch {
            refuse(error)
        }
    }

    /// Tells the client that there is no position, and why not; a position that it has not read yet is taken back, so
    /// that it does not come after the news of its end.
    func tell(_ reason: PositionUnavailable) {
        missed += call.discardOffered()
        let standing = Standing(gate, for: requester)
        let envelope = UpdateEnvelope(
            nil, standing: standing,
            diagnostics: standing.diagnostics.map(\.rawValue) + [
                Diagnostic.locationUnavailable.rawValue, reason.rawValue,
            ])
        let missed = self.missed
        self.missed = 0
        call.reply(envelope.reply(dropped: missed))
    }

    /// Who may see what has changed.
    func update(_ requester: Requester) {
        self.requester = requester
        if let refusal = gate.refusal(for: requester) { refuse(refusal) }
    }

    private func refuse(_ refusal: Refusal) {
        call.discardOffered()
        call.fail(refusal)
    }
}

extension Call {
    /// Ends the call with the gate's refusal.
    func fail(_ refusal: Refusal) {
        switch refusal {
        case .notDetermined: fail(ErrorName.notDetermined.rawValue, message: refusal.message)
        }
    }

    /// Ends the call because there is no position.
    func fail(_ reason: PositionUnavailable) {
        fail(
            ErrorName.positionUnknown.rawValue, message: reason.message,
            parameters: [JSON.Member("reason", .string(reason.rawValue))])
    }

    /// Ends the call because of a parameter.
    func fail(_ error: ParameterError) {
        fail(ServiceError.invalidParameter(error.name))
    }
}
