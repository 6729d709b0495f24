import Authorization
import Interfaces
import JSONText
import Location
import Varlink

/// What `io.waymark.Location` tells a client of its authorization.
struct AuthorizationReport: Equatable {
    var standing: Standing
    var identity: ClientIdentity
    var isInUse: Bool

    /// Writes the `Authorization` of `io.waymark.Location`.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("status", standing.status.rawValue)
            writer.member("accuracy", standing.accuracy.rawValue)
            writer.member("diagnostics", standing.diagnostics.all.map(\.rawValue))
            writer.member("app", identity.app?.name)
            writer.member("assurance", identity.assurance?.rawValue)
            writer.member("isInUse", isInUse)
        }
    }
}

extension Decision.Reason {
    /// The error that tells of it.
    var errorName: ErrorName {
        switch self {
        case .unidentified, .manifestMissing: .manifestMissing
        case .deniedGlobally: .deniedGlobally
        case .restricted: .restricted
        case .denied: .denied
        case .notDetermined: .notDetermined
        case .notInUse, .alwaysUnconfirmed: .notInUse
        }
    }
}

extension Call {
    /// Replies with a client's authorization.
    func reply(_ report: AuthorizationReport, continues: Bool = false) {
        reply(continues: continues) { writer in
            writer.key("authorization")
            report.write(to: &writer)
        }
    }

    /// Ends the call with the gate's refusal. It tells nothing of the receiver.
    func fail(_ reason: Decision.Reason, complaint: String?) {
        if let session = connection.session as? ClientSession, session.process == nil, let why = session.suspension {
            return fail(ErrorName.accountSuspended.rawValue, message: "No positions: \(why).")
        }
        var message = reason.message
        if reason == .unidentified, let complaint { message += " (\(complaint))" }
        fail(reason.errorName.rawValue, message: message)
    }

    /// Ends the call because the client may have reduced accuracy only.
    func failAccuracyReduced() {
        fail(
            ErrorName.accuracyReduced.rawValue,
            message: "This app may have reduced positions only, and there is nothing reduced to show of this. "
                + "It can ask for full accuracy for a while.")
    }
}
