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

    /// Reports changes to the streams of some clients; called after `reviewPositions`.
    func reportAuthorization(to sessions: [ClientSession]) {
        for session in sessions {
            guard let (call, reported) = authorizationStreams[ObjectIdentifier(session)] else { continue }
            let report = report(session)
            guard report != reported else { continue }
            authorizationStreams[ObjectIdentifier(session)]?.reported = report
            call.reply(report, continues: true)
        }
    }

    func reportAuthorization(to session: ClientSession) { reportAuthorization(to: [session]) }

    func reportAuthorization(of app: AppID) { reportAuthorization(to: clients.sessions(of: app)) }

    func request(_ request: Policy.Request, _ call: Call, _ session: ClientSession) {
        guard let process = session.process else {
            // A client that needs no permission gets no prompt.
            guard session.isOperator else { return refuse(call, .unidentified, session) }
            return call.reply(report(session))
        }
        prompts.request(request, by: process.id) { [weak self] reply in self?.answer(call, reply, session) }
    }

    private func answer(_ call: Call, _ reply: Policy.Reply, _ session: ClientSession) {
        switch reply {
        case .authorizationState(let authorizationState):
            var report = report(session)
            report.authorizationState = authorizationState
            call.reply(report)
        case .requestInProgress:
            call.fail(
                LocationInterface.Failure.requestInProgress(
                    message: "The person is asked already. Wait for the answer; `waymark requests` shows the request."))
        case .purposeMissing(let key):
            call.fail(
                LocationInterface.Failure.purposeMissing(
                    key: key, message: "The manifest states no purpose. Add \(key)."))
        case .refused(let reason): refuse(call, reason, session)
        case .notStored:
            call.fail(
                LocationInterface.Failure.notStored(
                    message: "The decision could not be stored, so it is not in force. Run `waymark status`."))
        case .tracking, .unknownPrompt, .notYours, .notOffered, .done: call.reply(report(session))
        }
    }

    func holdInUse(_ call: Call, _ session: ClientSession) {
        guard session.process != nil else { return refuse(call, .unidentified, session) }
        // A hold that another app began on this connection does not belong to this app.
        let isResumed = call.isResumed && session.isSameApp
        guard let id = holds.begin(of: session, isResumed: isResumed) else { return refuse(call, .notInUse, session) }
        heldCalls[id] = (call, session)
        call.onEnd = { [weak self] in
            self?.heldCalls[id] = nil
            self?.holds.end(id)
        }
        call.reply(report(session), continues: true)
    }

    /// A background activity session has ended, other than by its client.
    func holdLost(_ id: Policy.HoldID) {
        if let (call, session) = heldCalls.removeValue(forKey: id) { refuse(call, .notInUse, session) }
    }
}
