import Authorization
import Interfaces
import Location
import Varlink

// The calls by which an app reads, requests and declares its authorization and use.

extension LocationService {
    /// The authorization report for a client.
    func report(_ session: ClientSession) -> AuthorizationReport {
        AuthorizationReport(
            authorizationState: authorizer.authorizationState(for: session), identity: session.identity,
            isInUse: authorizer.isInUse(session))
    }

    func monitorAuthorization(_ call: Call, _ session: ClientSession) {
        let report = report(session)
        let key = ObjectIdentifier(session)
        authorizationStreams[key] = (call, report)
        call.onEnd = { [weak self] in self?.authorizationStreams[key] = nil }
        call.reply(report, continues: true)
    }

    /// Sends the authorization report to the streams of some clients for which it has changed.
    func authorizationChanged(for sessions: [ClientSession]) {
        for session in sessions {
            guard let (call, reported) = authorizationStreams[ObjectIdentifier(session)] else { continue }
            let report = report(session)
            guard report != reported else { continue }
            authorizationStreams[ObjectIdentifier(session)]?.reported = report
            call.reply(report, continues: true)
        }
    }

    func request(_ request: Policy.Request, _ call: Call, _ session: ClientSession) {
        guard let process = session.process else {
            // A client that needs no permission gets no prompt.
            guard session.isOperator else { return refuse(call, .unidentified, session) }
            return call.reply(report(session))
        }
        authorizer.request(request, by: process.id) { [weak self] reply in self?.answer(call, reply, session) }
    }

    private func answer(_ call: Call, _ reply: Policy.Reply, _ session: ClientSession) {
        switch reply {
        case .authorizationState(let authorizationState):
            var report = report(session)
            report.authorizationState = authorizationState
            call.reply(report)
        case .requestInProgress:
            call.fail(LocationInterface.Failure.requestInProgress(message: "A prompt is already shown."))
        case .purposeMissing(let key):
            call.fail(
                LocationInterface.Failure.purposeMissing(
                    key: key, message: "The manifest states no purpose. Add \(key)."))
        case .refused(let reason): refuse(call, reason, session)
        case .notStored:
            call.fail(
                LocationInterface.Failure.notStored(
                    message: "The decision could not be stored, so it is not in force. Run `waymark status`."))
        case .unknownPrompt, .notYours, .notOffered, .done: call.reply(report(session))
        }
    }

    func holdInUse(_ call: Call, _ session: ClientSession) {
        guard session.process != nil else { return refuse(call, .unidentified, session) }
        // A hold that another app began on this connection does not belong to this app.
        let isResumed = call.isResumed && session.isSameApp
        let hold = authorizer.beginHold(of: session, isResumed: isResumed) { [weak self, weak call] in
            guard let self, let call else { return }
            refuse(call, .notInUse, session)
        }
        guard let hold else { return refuse(call, .notInUse, session) }
        call.onEnd = { [weak authorizer] in authorizer?.endHold(hold) }
        call.reply(report(session), continues: true)
    }
}
