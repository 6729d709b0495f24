import Authorization
import Interfaces
import Location
import Varlink

/// The authorization state that `io.waymark.Location` reports to a client.
struct AuthorizationReport: Equatable {
    var authorizationState: AuthorizationState
    var identity: ClientIdentity
    var isInUse: Bool

    /// The `Authorization` of `io.waymark.Location`.
    var authorization: AppAuthorization {
        AppAuthorization(
            status: authorizationState.status, accuracy: authorizationState.accuracy,
            diagnostics: authorizationState.diagnostics.all.map { .init(rawValue: $0.rawValue) },
            app: identity.app?.name, assurance: identity.assurance?.rawValue, isInUse: isInUse)
    }
}

extension Decision.Reason {
    /// The error that reports it.
    func failure(message: String) -> LocationInterface.Failure {
        switch self {
        case .unidentified, .manifestMissing: .manifestMissing(message: message)
        case .deniedGlobally: .deniedGlobally(message: message)
        case .restricted: .restricted(message: message)
        case .denied: .denied(message: message)
        case .notDetermined: .notDetermined(message: message)
        case .notInUse, .alwaysUnconfirmed: .notInUse(message: message)
        }
    }
}

extension Call {
    /// Replies with a client's authorization.
    func reply(_ report: AuthorizationReport, continues: Bool = false) {
        let message = LocationInterface.GetAuthorization.Reply(authorization: report.authorization)
        reply(EncodedReply(message, continues: continues))
    }

    /// Ends the call with the gate's refusal. It reveals nothing about the receiver.
    func fail(_ reason: Decision.Reason, complaint: String?) {
        if let session = connection.session as? ClientSession, session.process == nil, let why = session.suspension {
            return fail(LocationInterface.Failure.accountSuspended(message: "No positions: \(why)."))
        }
        var message = reason.message
        if reason == .unidentified, let complaint { message += " (\(complaint))" }
        fail(reason.failure(message: message))
    }

    /// Ends the call because the client may have reduced accuracy only.
    func failAccuracyReduced() {
        fail(
            LocationInterface.Failure.accuracyReduced(
                message: "This app may have reduced positions only, and there is nothing reduced to show of this. "
                    + "It can ask for full accuracy for a while."))
    }
}
