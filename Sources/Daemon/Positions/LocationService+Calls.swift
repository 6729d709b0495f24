import Authorization
import Interfaces
import Location
import Varlink

// The calls of `io.waymark.Location`.

extension LocationService: LocationInterface.Handler {
    func getAuthorization(_ call: MethodCall<LocationInterface.GetAuthorization>) {
        call.call.reply(report(session(of: call)))
    }

    func monitorAuthorization(_ call: MethodCall<LocationInterface.MonitorAuthorization>) {
        monitorAuthorization(call.call, session(of: call))
    }

    func requestWhenInUse(_ call: MethodCall<LocationInterface.RequestWhenInUse>) {
        request(.whenInUse, call.call, session(of: call))
    }

    func requestAlways(_ call: MethodCall<LocationInterface.RequestAlways>) {
        request(.always, call.call, session(of: call))
    }

    func requestTemporaryFullAccuracy(_ call: MethodCall<LocationInterface.RequestTemporaryFullAccuracy>) {
        request(.temporaryFullAccuracy(key: call.parameters.purposeKey), call.call, session(of: call))
    }

    func setActivity(_ call: MethodCall<LocationInterface.SetActivity>) {
        let session = session(of: call)
        clients.declare(call.parameters.activity, on: session)
        call.call.reply(report(session))
    }

    func holdInUse(_ call: MethodCall<LocationInterface.HoldInUse>) { holdInUse(call.call, session(of: call)) }

    func getPosition(_ call: MethodCall<LocationInterface.GetPosition>) {
        admit(call) { session, decision in getPosition(call.call, call.parameters, session, decision) }
    }

    func monitor(_ call: MethodCall<LocationInterface.Monitor>) {
        admit(call) { session, _ in monitor(call.call, call.parameters, session) }
    }

    func getSatellites(_ call: MethodCall<LocationInterface.GetSatellites>) {
        admit(call) { session, _ in watchSatellites(call.call, session, once: true) }
    }

    func monitorSatellites(_ call: MethodCall<LocationInterface.MonitorSatellites>) {
        admit(call) { session, _ in watchSatellites(call.call, session, once: false) }
    }

    func monitorVisits(_ call: MethodCall<LocationInterface.MonitorVisits>) {
        admit(call) { session, _ in monitorVisits(call.call, session, since: call.parameters.since) }
    }

    func monitorHeading(_ call: MethodCall<LocationInterface.MonitorHeading>) {
        admit(call) { session, _ in monitorHeading(call.call, session, filter: call.parameters.headingFilter) }
    }

    private func session(of call: MethodCall<some VarlinkMethod>) -> ClientSession {
        clients.session(of: call.connection)
    }

    /// Begins a call for positions, satellites, visits or headings if the gate allows it. A stream also begins if the refusal is
    /// temporary, for example because the app is not in use: it delivers later.
    private func admit<Method: VarlinkMethod>(
        _ call: MethodCall<Method>, _ begin: (ClientSession, Decision) -> Void
    ) {
        // A call with `oneway` gets no reply, so nothing can be delivered.
        guard !call.call.request.oneway else { return }
        let session = session(of: call)
        let decision = authorizer.decide(for: session)
        if let reason = decision.refusal, !(Method.needsMore && reason.isPause) {
            return refuse(call.call, reason, session)
        }
        begin(session, decision)
    }
}
