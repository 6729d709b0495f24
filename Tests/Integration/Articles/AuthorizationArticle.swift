// The examples of Authorization.md in the catalogue, as they are shown: `DocumentationTests` compares the lines.

import Waymark

/// Asks for positions in the background, and says why there are none.
func askForBackground(_ client: WaymarkClient) async throws -> String {
    // The person is asked only while the app is in use.
    let session = ActivitySession(.active, client: client)
    defer { session.invalidate() }
    _ = try await session.declared()
    _ = try await client.requestWhenInUseAuthorization()
    let authorization = try await client.requestAlwaysAuthorization()
    if authorization.alwaysAuthorizationDenied { return "Positions are allowed only while the app is in use." }
    if authorization.accuracyLimited {
        let exact = try await client.requestTemporaryFullAccuracyAuthorization(purposeKey: "Navigation")
        return exact.accuracy == .full ? "Exact positions for now." : "Positions are some kilometres across."
    }
    return "\(authorization.status)"
}

/// Shows each decision about the app.
func followDecisions(_ client: WaymarkClient, show: (String) -> Void) async throws {
    let decisions: AuthorizationUpdates = client.authorizations()
    for try await authorization in decisions {
        show("\(authorization.status), \(authorization.accuracy), in use: \(authorization.isInUse)")
    }
}

/// Asks for what a map needs, and follows what becomes of it.
func followSession(_ client: WaymarkClient, show: (String) -> Void) async {
    let requirement: ServiceSession.AuthorizationRequirement = .whenInUse
    let session = ServiceSession(authorization: requirement, fullAccuracyPurposeKey: "Navigation", client: client)
    defer { session.invalidate() }
    for await state: ServiceSession.State in session.states() {
        switch state {
        case .connecting(let error): show("Not connected: \(error?.description ?? "waiting")")
        case .active(let authorization): show("\(authorization.status)")
        case .notAsked(let error): show("Not asked: \(error)")
        case .ended(let error): show("Ended: \(error?.description ?? "invalidated")")
        }
    }
}

/// Shows whether the daemon knows that the app is in front, and whether the app stays in use behind other windows.
func followUse(_ client: WaymarkClient, show: (String) -> Void) async throws {
    let activity = ActivitySession(client: client)
    _ = try await activity.declared()
    let use: ActivitySession.State = activity.state
    show("\(activity.activity): \(use)")
    let background = BackgroundActivitySession(client: client)
    _ = try await background.begun()
    activity.setActivity(.background)
    for await state: BackgroundActivitySession.State in background.states() {
        switch state {
        case .beginning: show("beginning")
        case .held(let authorization): show("held: \(authorization.status)")
        case .ended(let error): show("ended: \(error?.description ?? "invalidated")")
        }
    }
}

/// The requirement of a feature that a person has turned off.
func requirement(isOn: Bool) -> ServiceSession.AuthorizationRequirement { isOn ? .always : .none }

/// The first reason that a person can do something about.
func reason(of authorization: some Diagnosed) -> String? {
    if authorization.authorizationDenied || authorization.authorizationDeniedGlobally {
        return "Allow it in the settings."
    }
    if authorization.fullAccuracyDenied { return "Allow exact positions in the settings." }
    if authorization.insufficientlyInUse { return "Open the app." }
    if authorization.agentUnavailable { return "Start an agent that can ask you." }
    if authorization.locationUnavailable { return "Go outdoors." }
    return authorization.diagnostics.first?.rawValue
}

/// Shows these reasons while a feature needs positions.
func showReasons(_ session: ServiceSession, show: (String) -> Void) async {
    for await diagnostic: ServiceSession.Diagnostic in session.diagnostics {
        if let reason = reason(of: diagnostic) { show(reason) }
    }
}
